// Runs in the audio thread: collects what the microphone hears into chunks of 16-bit samples, one channel.

class Microphone extends AudioWorkletProcessor {
  constructor({ processorOptions: { frames } }) {
    super();
    this.chunk = new Int16Array(frames);
    this.filled = 0;
    this.peak = 0;
  }
  process([channels]) {
    const count = channels[0]?.length || 0;
    for (let i = 0; i < count; i++) {
      let sample = 0;
      for (const channel of channels) sample += channel[i] / channels.length;
      this.peak = Math.max(this.peak, Math.abs(sample));
      this.chunk[this.filled++] = Math.max(-32768, Math.min(32767, Math.round(sample * 32768)));
      if (this.filled === this.chunk.length) {
        const samples = this.chunk.slice();
        this.port.postMessage({ samples, peak: this.peak }, [samples.buffer]);
        this.filled = 0;
        this.peak = 0;
      }
    }
    return true;
  }
}
registerProcessor('microphone', Microphone);
