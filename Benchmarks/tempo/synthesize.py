"""Makes synthetic clips with known beats for fitting the choice of grid.

  synthesize.py OUTPUT_DIRECTORY [--performances 440] [--machines 200] [--plain 70] [--metronomes 80] [--backbeats 0]
                [--soundfonts FILE.sf2 …] [--first 0]

General MIDI performances in some 40 styles (rendered by fluidsynth with FluidR3_GM and TimGM6mb, Debian packages
fluidsynth, fluid-soundfont-gm and timgm6mb-soundfont), drum machines made of synthetic sounds, some cut to loops of whole
bars, plain backbeats and metronomes. For each clip NAME.f32 (mono, 22,050 Hz,
floats), NAME.txt (beats, seconds) and a row of performances.csv, machines.csv or metronomes.csv. Everything is random from fixed seeds,
one for each clip number: clips from --first 10000 on, for example, were not used in any fit. Needs numpy.
"""
import argparse, json, os, struct, subprocess
import numpy as np
import midi

OUT = '.'
FONTS = midi.FONTS
from concurrent.futures import ThreadPoolExecutor
K,RIM,S,CL,HH,PH,OH,RD,CR,TOM,TM2,COW,SHK,CLAVE,CONGA,CABASA=36,37,38,39,42,44,46,51,49,45,48,56,70,75,63,69
def vlq(n):
    b=[n&127]; n>>=7
    while n: b.append((n&127)|128); n>>=7
    return bytes(b[::-1])
def write_midi(path,ev):  # ev: (seconds, bytes)
    ev=sorted(ev,key=lambda e:(e[0],e[1][0]>>4)); last=0; out=b'\x00\xff\x51\x03'+struct.pack('>I',500000)[1:]
    for t,m in ev:
        k=int(round(t*1000)); out+=vlq(max(0,k-last))+m; last=max(last,k)
    out+=b'\x00\xff\x2f\x00'
    open(path,'wb').write(b'MThd'+struct.pack('>IHHH',6,0,1,500)+b'MTrk'+struct.pack('>I',len(out))+out)
class Clip:
    def __init__(s,rng,bpm,meter,drift,jit,secs,rubato=0):
        s.rng=rng; s.bpm=bpm; s.meter=meter; s.jit=jit; n=int(secs*bpm/60*1.3)+12
        w=np.cumsum(rng.normal(size=n))*drift; w=w-np.convolve(w,np.ones(33)/33,'same')*.5 if drift else w
        if rubato: # arcs over phrases: faster in the middle, held back at the end
            phrase=meter*rng.choice([2,4,4,8]); at=np.arange(n)%phrase
            w=w-rubato*np.sin(np.pi*(at+.5)/phrase)+rubato*rng.uniform(0,2)*np.clip(at-phrase+3,0,2)/2
        per=60/bpm*np.exp(np.clip(w,-.3,.4)); s.t=np.r_[0,np.cumsum(per)]+rng.uniform(0,.3)
        s.n=np.searchsorted(s.t,secs)-1; s.ev=[]
    def time(s,b):
        b=min(max(b,0),len(s.t)-1.001); i=int(b); return s.t[i]+(b-i)*(s.t[i+1]-s.t[i])
    def note(s,ch,b,p,v,d=.5,strum=0):
        if b>=s.n: return
        t=max(0,s.time(b)+s.rng.normal()*s.jit+strum); v=int(np.clip(v*(1+.12*s.rng.normal()),12,127)); p=int(np.clip(p,12,108))
        e=max(t+.03,s.time(b+d)-.01)
        s.ev+=[(t,bytes([0x90|ch,p,v])),(e,bytes([0x80|ch,p,0]))]
    def prog(s,ch,p,vol=100): s.ev+=[(0,bytes([0xc0|ch,p])),(0,bytes([0xb0|ch,7,vol]))]
def steps(s): return [i for i,c in enumerate(s) if c!='.']
PROG=[[0,5,3,4],[0,3,4,0],[0,-3,5,-2] ,[0,0,5,7],[0,7,9,5],[9,5,0,7],[2,7,0,0]]
def chord(root,minor,deg):
    r=root+deg; q=minor ^ (deg in(2,4,9)); return [r,r+(3 if q else 4),r+7]
# style: (bpm lo, hi, meter, swing, drums{note:pattern per bar of 16ths (or 12)}, options)
ST={
'rock':(95,160,4,0,[{K:'x.......x.x.....',S:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'},{K:'x.....x.x.......',S:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'},{K:'x..x....x.x.....',S:'....x.......x..x',OH:'x...x...x...x...'},{K:'x.......x.......',S:'....x.......x...',RD:'x.x.x.x.x.x.x.x.'}],'pow8 bass8'),
'ballad':(58,92,4,0,[{K:'x.......x.......',S:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'},{K:'x.........x.....',RIM:'....x.......x...',HH:'xxxxxxxxxxxxxxxx'}],'pianoq bass4 padc arp8'),
'metal':(130,215,4,0,[{K:'xxxxxxxxxxxxxxxx',S:'....x.......x...',CR:'x...x...x...x...'},{K:'x.xxx.xxx.xxx.xx',S:'....x.......x...',HH:'x...x...x...x...'},{K:'x..xx..xx..xx..x',S:'........x.......',RD:'x...x...x...x...'}],'pow16 bass16'),
'thrash':(150,220,4,0,[{K:'x...x...x...x...',S:'..x...x...x...x.',HH:'x.x.x.x.x.x.x.x.'},{K:'x...x.x.x...x.x.',S:'..x...x...x...x.',CR:'x...x...x...x...'}],'pow8 bass8'),
'blast':(160,230,4,0,[{K:'x.x.x.x.x.x.x.x.',S:'x.x.x.x.x.x.x.x.',RD:'x.x.x.x.x.x.x.x.'},{K:'xxxxxxxxxxxxxxxx',S:'x...x...x...x...',CR:'x...x...x...x...'}],'pow16 bass8'),
'punk':(150,205,4,0,[{K:'x.....x.x.....x.',S:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'},{K:'x..x..x.x..x..x.',S:'....x.......x...',CR:'x...x...x...x...'}],'pow8 bass8'),
'house':(116,132,4,0,[{K:'x...x...x...x...',CL:'....x.......x...',OH:'..x...x...x...x.'},{K:'x...x...x...x...',CL:'....x.......x...',OH:'..x...x...x...x.',SHK:'xxxxxxxxxxxxxxxx'},{K:'x...x...x...x...',HH:'..x...x...x..xx.'}],'stab bassoff padc'),
'trance':(128,150,4,0,[{K:'x...x...x...x...',OH:'..x...x...x...x.'},{K:'x...x...x...x...',OH:'..x...x...x...x.',CL:'....x.......x...'}],'arp16 bassroll padc'),
'eurodance':(130,165,4,0,[{K:'x...x...x...x...',S:'....x.......x...',OH:'..x...x...x...x.'}],'arp16 bassoff lead'),
'techno':(122,145,4,0,[{K:'x...x...x...x...',HH:'..x...x...x...x.',RIM:'...x..x....x..x.'},{K:'x...x...x...x...',HH:'xxxxxxxxxxxxxxxx'}],'bass16 stab'),
'dnb':(160,180,4,0,[{K:'x.........x.....',S:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'},{K:'x..x......x.....',S:'....x..x.x..x...',RD:'x.x.x.x.x.x.x.x.'}],'basslong padc'),
'breaks':(120,145,4,0,[{K:'x.x.......xx....',S:'....x..x.x..x..x',HH:'x.x.x.x.x.x.x.x.'}],'bass8 stab'),
'dubstep':(136,146,4,0,[{K:'x.....x.........',S:'........x.......',HH:'x..x..x.x..x..x.'}],'basslong lead'),
'trap':(128,160,4,0,[{K:'x......x..x.....',S:'........x.......',HH:'x.x.x.x.x.xxx.x.'}],'basslong arp8'),
'hiphop':(78,104,4,.2,[{K:'x..x......x.....',S:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'},{K:'x......x..x.....',S:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'}],'bass4 rhodes'),
'funk':(92,118,4,0,[{K:'x..x..x...x..x..',S:'....x..x.x..x...',HH:'xxxxxxxxxxxxxxxx'},{K:'x.x.......x.....',S:'....x..x....x..x',HH:'x.x.x.x.x.x.x.x.'}],'funkbass clav'),
'reggae':(64,94,4,.2,[{K:'....x.......x...',RIM:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'},{K:'x...x...x...x...',RIM:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'}],'skank regbass organ'),
'ska':(120,168,4,0,[{K:'x.......x.......',S:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'},{K:'....x.......x...',S:'....x.......x...',OH:'..x...x...x...x.'}],'skank walk'),
'disco':(108,132,4,0,[{K:'x...x...x...x...',S:'....x.......x...',OH:'..x...x...x...x.',HH:'xx.xxx.xxx.xxx.x'}],'bassoct strings stab'),
'pop':(88,132,4,0,[{K:'x.....x.x.......',S:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'},{K:'x...x...x...x...',CL:'....x.......x...',HH:'..x...x...x...x.'},{K:'x.......x..x....',CL:'....x.......x...',SHK:'xxxxxxxxxxxxxxxx'}],'pianoq bass4 lead strum'),
'swing':(110,230,4,.33,[{RD:'x...x.x.x...x.x.',PH:'....x.......x...'},{RD:'x...x.x.x...x.x.',PH:'....x.......x...',K:'x...x...x...x...'},{HH:'x...x.x.x...x.x.'}],'walk comp sax'),
'jazzwaltz':(110,185,3,.33,[{RD:'x...x.x.x...',PH:'....x.......',K:'x...........'}],'walk comp'),
'waltz':(90,185,3,0,[{K:'x...........',S:'....x...x...'},{K:'x...........',HH:'....x...x...'},{}],'oompah lead'),
'bossa':(110,150,4,0,[{RIM:'x..x..x...x..x..',HH:'x.x.x.x.x.x.x.x.',K:'x.....x.x.....x.'}],'bossabass nylon'),
'samba':(90,115,4,0,[{K:'x..xx..xx..xx..x',SHK:'xxxxxxxxxxxxxxxx',RIM:'x.x..x.x.xx.x.x.',S:'...x..x....x..x.'}],'bossabass nylon'),
'salsa':(160,220,4,0,[{CLAVE:'x.....x.....x...',CONGA:'....x.x.....x.x.',COW:'x.x.x.x.x.x.x.x.'},{CLAVE:'....x...x.......',CONGA:'....x.x.....x.x.',COW:'x...x...x...x...'}],'tumbao montuno'),
'country':(84,130,4,0,[{S:'..x...x...x...x.',K:'x...x...x...x...',HH:'x.x.x.x.x.x.x.x.'},{S:'xxXxxxXxxxXxxxXx',K:'x...x...x...x...'},{K:'x.......x.......',S:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'}],'boomchick strum lead'),
'folk':(78,135,4,0,[{}],'strum lead'),'fingerpick':(70,125,4,0,[{}],'pick'),
'pianoballad':(56,92,4,0,[{}],'arp8 pianobass lead'),'pianoarp':(60,120,4,0,[{}],'arp16 pianobass'),
'pianopop':(60,105,4,0,[{}],'pianoq pianobass lead'),
'alberti':(80,150,4,0,[{}],'alberti lead'),'orch':(60,125,4,0,[{}],'strings lead celli'),
'fugue':(55,100,4,0,[{}],'two16'),
'sixeight':(46,76,6,0,[{K:'x...........',S:'......x.....',HH:'x.x.x.x.x.x.'},{}],'arp6 bass4'),
'shuffle':(76,135,4,.33,[{K:'x.......x.......',S:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'},{K:'x...x...x...x...',S:'....x.......x...',RD:'x.x.x.x.x.x.x.x.'}],'walk pow8 lead'),
'march':(108,124,4,0,[{K:'x.......x.......',S:'x.xxx.x.x.xxx.xx'},{K:'x...x...x...x...',S:'..x...x...x...x.'}],'oompah brass'),
'polka':(105,130,4,0,[{K:'x...x...x...x...',S:'..x...x...x...x.'}],'boomchick lead'),
'chip':(120,190,4,0,[{K:'x.......x.......',S:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'},{K:'x...x...x...x...',S:'....x.......x...'},{K:'x..x..x.x..x..x.',S:'....x.......x...',HH:'xxxxxxxxxxxxxxxx'}],'chiparp bass8 chiplead'),
'game':(130,200,4,0,[{K:'x.......x.x.....',S:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'},{K:'x.....x...x.....',S:'....x.......x...',HH:'xxxxxxxxxxxxxxxx'},{K:'x...x...x...x...',S:'....x.......x...',OH:'..x...x...x...x.'}],'chiparp bass16 chiplead pow8'),
}
LIVE={'rock','ballad','punk','swing','jazzwaltz','waltz','bossa','samba','salsa','country','folk','fingerpick','reggae','ska','funk','shuffle','march','polka','metal','sixeight'}
RUB={'pianoballad','alberti','orch','pianoarp','fugue','pianopop'}
def make(i,seed):
    rng=np.random.default_rng([seed,i]); names=list(ST); name=names[i%len(names)]
    lo,hi,meter,sw,drums,opt=ST[name]; opt=opt.split(); bpm=np.exp(rng.uniform(np.log(lo),np.log(hi)))
    if name not in LIVE|RUB: bpm=round(bpm) if rng.random()<.7 else bpm
    drift=rng.choice([0,.004,.008,.015]) if name in LIVE else rng.choice([0,.01,.02,.035]) if name in RUB else 0
    jit=rng.uniform(.003,.012) if name in LIVE else rng.uniform(.004,.02) if name in RUB else rng.choice([0,.001,.004])
    rubato=rng.choice([0,.05,.1,.18]) if name in RUB else 0
    secs=32; c=Clip(rng,bpm,meter,drift,jit,secs,rubato); n=c.n
    bpb={6:2}.get(meter,meter)  # beats per bar; 6/8 has 2 dotted beats of 6 steps
    spb=6 if meter==6 else 4    # grid steps per beat
    def sb(step):  # step within bar -> beats with swing on the 8th
        b=step/spb
        if sw and spb==4:
            k=step%4
            if k==2: b+=sw*.5
            elif k in(1,3): b+=sw*.25*rng.choice([0,1])
        return b
    root=rng.integers(40,52); minor=bool(rng.integers(2)); prog=PROG[rng.integers(len(PROG))]; hr=rng.choice([1,1,2]) if meter==4 else 1
    bars=int(n/bpb)+1; nodrum_until=rng.choice([0,0,0,2,4]); drumoff=rng.choice([0,0,1],p=[.45,.45,.1]) ; pattern=drums[rng.integers(len(drums))]; alt=drums[rng.integers(len(drums))]
    drumsonly=rng.random()<.1 and any(drums)
    pick=lambda *a:int(rng.choice(a)); mel=[rng.integers(-3,9) for _ in range(16)]; mrh=[rng.random()<.45 for _ in range(32)]
    pr={'pow8':pick(29,30,27),'pow16':pick(30,29),'pianoq':pick(0,4,1),'stab':pick(0,62,81,16),'arp16':pick(81,80,0,46) if name not in RUB else 0,'arp8':pick(0,4,24) if name not in RUB else 0,'arp6':pick(0,24),'lead':pick(73,80,56,40,65,0,22),'padc':pick(89,48,50,91),'rhodes':4,'clav':pick(7,28),'skank':pick(27,25,16),'organ':16,'strings':48,'comp':pick(0,26),'sax':pick(66,65,56),'nylon':24,'montuno':0,'strum':pick(24,25,27),'pick':pick(24,25),'oompah':pick(0,21,60,48),'alberti':pick(0,6),'celli':42,'two16':pick(0,6,19),'brass':61,'boomchick':pick(25,24,21),'chiparp':pick(80,81,82),'chiplead':pick(80,81,84)}
    bassp=pick(33,34,32,38,39); chn={}; 
    def ch(o,p):
        if o not in chn: k=len(chn); k+=k>=9; chn[o]=k; c.prog(k,p,int(rng.integers(60,115)))
        return chn[o]
    for bar in range(bars):
        B=bar*bpb; pat=pattern if (bar//8)%2==0 else alt; fill=bar%rng.choice([4,8])==3 and rng.random()<.4
        if bar>=nodrum_until:
            for p,s in pat.items():
                for st in steps(s):
                    if fill and st>=len(s)*3//4 and p in(S,HH,RD): continue
                    if rng.random()<.04: continue
                    c.note(9,B+sb(st),p,(105 if p in(K,S,CL) else 75)*(1.2 if s[st]=='X' else 1)*(1 if st%spb==0 or p in(K,S) else .8),.2)
            if fill and pat:
                for st in range(12,16): 
                    if rng.random()<.8: c.note(9,B+st/4,[TM2,TOM,S][rng.integers(3)],100,.2)
            if pat and bar%8==0 and rng.random()<.6: c.note(9,B,CR,100,.5)
        if drumsonly: continue
        for half in range(hr):
            deg=prog[(bar*hr+half)%len(prog)]; cd=chord(root+12,minor,deg); b0=B+half*bpb/hr; nb=bpb/hr; low=root-12+(deg%12)
            if low<28: low+=12
            S8=np.arange(0,nb*2)/2; S16=np.arange(0,nb*4)/4
            f=lambda x:x+(sw*.5 if sw and abs(x%1-.5)<1e-6 else 0)
            for o in opt:
                if o in('pow8','pow16'):
                    for k,x in enumerate(S8 if o=='pow8' else S16):
                        if o=='pow16' and name=='metal' and k%4==1 and mrh[0]: continue
                        for q in(0,7,12): c.note(ch(o,pr[o]),b0+f(x),low+12+q,80+15*(x%1==0),.4)
                elif o=='pianoq':
                    for x in range(int(nb)):
                        for q in cd: c.note(ch(o,pr[o]),b0+x,q+12,70,.9)
                elif o in('arp8','arp16','arp6','chiparp'):
                    seq=cd+[cd[1]+12 if mrh[1] else cd[0]+12]; xs={'arp8':S8,'arp16':S16,'chiparp':S16,'arp6':np.arange(0,nb*3)/3}[o]
                    for k,x in enumerate(xs): c.note(ch(o,pr[o]),b0+f(x),seq[k%len(seq)]+12,62+14*(x%1==0)*rng.random(),.5)
                elif o=='stab':
                    for st in steps('x..x..x...x.....' if mrh[2] else '..x...x...x...x.'):
                        if st/4<nb:
                            for q in cd: c.note(ch(o,pr[o]),b0+st/4,q+12,80,.2)
                elif o in('padc','strings','organ'):
                    for q in cd: c.note(ch(o,pr.get(o,48)),b0,q+12,60,nb)
                elif o in('rhodes','comp','clav'):
                    for x in S8 if o!='clav' else S16:
                        if rng.random()<(.3 if o=='comp' else .35):
                            for q in cd: c.note(ch(o,pr[o]),b0+f(x),q+12,65,.3)
                elif o=='skank':
                    for x in range(int(nb)):
                        for q in cd: c.note(ch(o,pr[o]),b0+f(x+.5),q+12,85,.2)
                elif o in('strum',):
                    for x,v in [(0,90),(1,75),(1.5,60),(2.5,60),(3,80),(3.5,60)]:
                        if x<nb:
                            for k,q in enumerate([cd[0]-12]+cd): c.note(ch(o,pr[o]),b0+f(x),q+12,v,.6,strum=k*.008)
                elif o in('pick','nylon'):
                    for k,x in enumerate(S8):
                        if o=='nylon' and not mrh[k%8]: continue
                        c.note(ch(o,pr[o]),b0+x,(cd+[cd[0]+12])[[0,2,1,3][k%4]]+12,70,.5)
                        if x%2==0: c.note(ch(o,pr[o]),b0+x,low+12,80,1)
                elif o=='alberti':
                    for k,x in enumerate(S8): c.note(ch(o,pr[o]),b0+x,cd[[0,2,1,2][k%4]],58+10*(k%4==0),.5)
                elif o=='two16':
                    for k,x in enumerate(S16):
                        if mrh[k%16] or x%1==0: c.note(ch(o,pr[o]),b0+x,cd[k%3]+12+mel[k%16],62,.25)
                        if mrh[(k+7)%16] and k%2==0: c.note(ch(o,pr[o]),b0+x,cd[0]-5+mel[(k+5)%16],60,.5)
                elif o=='oompah':
                    c.note(ch('bass',bassp if mrh[5] else pr[o]),b0,low+12,85,.8)
                    for x in (range(1,int(nb)) if meter==3 else (1,3)):
                        if x<nb:
                            for q in cd: c.note(ch(o,pr[o]),b0+x,q+12,65,.4)
                elif o=='boomchick':
                    for x in range(int(nb)):
                        if x%1==0: c.note(ch('bass',bassp),b0+x,low+12+(7 if x%2 else 0),85,.4)
                        for q in cd: c.note(ch(o,pr[o]),b0+x+.5,q+12,65,.3)
                elif o in('lead','sax','chiplead','brass'):
                    for k in range(int(nb*2)):
                        j=(bar%2)*8+k
                        if mrh[j%32]: c.note(ch(o,pr[o]),b0+f(k/2),root+24+[0,2,3 if minor else 4,5,7,8 if minor else 9,10 if minor else 11,12][mel[j%16]%8]+(12 if mel[j%16]>7 else 0),85,.5 if mrh[(j+1)%32] else 1)
                elif o=='montuno':
                    for st in steps('x.x..x.x.x.x..x.' ):
                        if st/4<nb: 
                            for q in(cd[st%3],cd[st%3]+12): c.note(ch(o,pr[o]),b0+st/4,q+12,80,.25)
                else: # basses
                    bp=dict(bass8=[(x,0) for x in S8],bass16=[(x,0) for x in S16],bass4=[(x,0) for x in (0,1.5,2,3.5)] if mrh[3] else [(x,0) for x in range(int(nb))],pianobass=[(0,0),(2,7)],bassoff=[(x+.5,0) for x in range(int(nb))],bassroll=[(x+k/4,0) for x in range(int(nb)) for k in(1,2,3)],basslong=[(0,0)] if mrh[4] else [(0,0),(1.5,0),(2.5,3)],funkbass=[(x,12*(mrh[int(4*x)])) for x in S16 if mrh[int(4*x)+8] or x==0],regbass=[(x,0) for x in(0,.75,1.5,2,3)] if mrh[6] else [(1,0),(1.5,0),(2.5,7),(3,0)],bassoct=[(x,12*(x%1>0)) for x in S8],walk=[(x,[0,4,7,9][x%4]) for x in range(int(nb))],bossabass=[(0,0),(1.5,7),(2,7),(3.5,0)],tumbao=[(1.5,7),(3,12)],celli=[(x,0) for x in range(int(nb))])[o]
                    p=0 if o=='pianobass' else 42 if o=='celli' else bassp
                    for x,q in bp:
                        if x<nb: c.note(ch('pb' if o=='pianobass' else 'bass',p),b0+f(x),low+q+(12 if o in('pianobass',) else 0),90,.45)
    for k in chn.values(): c.ev.append((0,bytes([0xb0|k,91,int(rng.integers(10,70))])))
    beats=c.t[:n+1]; beats=beats[beats<secs-.3]
    down=[b for k,b in enumerate(beats) if k%bpb==0]
    first=min(e[0] for e in c.ev if e[1][0]>>4==9) if c.ev else 0
    beats=[b for b in beats if b>=first-.05]
    stem=f'{name}_{i:04d}'; out=OUT+'/'
    write_midi(out+stem+'.mid',c.ev)
    subprocess.run(['fluidsynth','-ni','-q','-g','0.4','-r','22050','-O','float','-T','raw','-F',out+stem+'.raw',FONTS[i//len(names)%len(FONTS)],out+stem+'.mid'],stdout=subprocess.DEVNULL,stderr=subprocess.DEVNULL,check=True)
    np.fromfile(out+stem+'.raw',np.float32).reshape(-1,2).mean(1)[:int((secs-.5)*sr)].tofile(out+stem+'.f32')
    os.remove(out+stem+'.raw'); os.remove(out+stem+'.mid')
    open(out+stem+'.txt','w').write('\n'.join('%.4f'%b for b in beats)); open(out+stem+'.json','w').write(json.dumps(dict(id=stem,style=name,bpm=60/float(np.median(np.diff(beats))),drift=float(drift),meter=meter,down=down)))
    return stem
sr=22050
def drum(p,rng):
    n=int(sr*.35); t=np.arange(n)/sr; noise=rng.normal(size=n)
    if p==K: return np.sin(2*np.pi*(rng.uniform(42,75)*t+rng.uniform(0,3)*(1-np.exp(-t*rng.uniform(20,60)))))*np.exp(-t*rng.uniform(8,30))*.9+noise*np.exp(-t*400)*rng.uniform(0,.3)
    if p in(S,CL,RIM): return (noise*np.exp(-t*rng.uniform(12,60))*.4+np.sin(2*np.pi*rng.uniform(150,330)*t)*np.exp(-t*30)*rng.uniform(0,.5))*(.6 if p==RIM else 1)
    if p in(TOM,TM2,CONGA): return np.sin(2*np.pi*rng.uniform(90,220)*t)*np.exp(-t*12)*.5
    if p in(COW,CLAVE): return np.sin(2*np.pi*rng.uniform(500,2500)*t)*np.exp(-t*40)*.3
    h=np.diff(noise,prepend=0); return h*np.exp(-t*(rng.uniform(8,20) if p in(OH,CR,RD) else rng.uniform(30,120)))*rng.uniform(.08,.3)
names=[k for k in ST if any(ST[k][4])]
def machine(i):
    rng=np.random.default_rng([77,i]); name=names[i%len(names)]; lo,hi,meter,sw,drums,opt=ST[name]
    if rng.random()<.3 and meter==4 and name in('rock','pop','house','country','hiphop','funk','disco','ballad'): lo,hi=75,150
    bpm=np.exp(rng.uniform(np.log(lo),np.log(hi))); bpm=round(bpm) if rng.random()<.7 else bpm
    secs=rng.uniform(10,30); per=60/bpm; t0=rng.uniform(0,.5); spb=6 if meter==6 else 4; bpb=2 if meter==6 else meter
    loop=rng.random()<.4 # whole bars from the first instant
    if loop: t0=0.; secs=max(1,int(secs/per/bpb))*bpb*per
    x=np.zeros(int(secs*sr)+sr)
    pat=drums[rng.integers(len(drums))] or drums[0]; alt=drums[rng.integers(len(drums))] or pat; snd={p:drum(p,rng) for p in set(pat)|set(alt)|{CR,S}}; mute=[p for p in pat if rng.random()<.12 and len(pat)>2]
    if loop and rng.random()<.3: mute=list(set(pat)-{list(pat)[rng.integers(len(pat))]}) if pat else []
    bass=rng.random()<.5; chords=rng.random()<.4; root=rng.uniform(40,70); bars=int(secs/per/bpb)+1; jit=rng.choice([0,0,.004,.008]); br=[rng.random()<.5 for _ in range(16)]
    def put(t,s,g=1):
        k=int((t+rng.normal()*jit)*sr)
        if 0<=k<len(x)-len(s): x[k:k+len(s)]+=s*g
    for bar in range(bars):
        B=t0+bar*bpb*per; p_=pat if bar%8<4 else alt
        for p,s in p_.items():
            if p in mute: continue
            for st in steps(s):
                o=st/spb+(sw*.5 if sw and st%4==2 else 0); put(B+o*per,snd[p],(1 if st%spb==0 else .85)*rng.uniform(.85,1))
        if bar%8==0 and rng.random()<.5: put(B,snd[CR],2)
        f=root*2**([0,5,3,4,0,-2,7,5][bar%8]/12)
        if bass:
            for k in range(bpb*2):
                if br[k] or k==0: t=np.arange(int(sr*per*.45))/sr; put(B+k*per/2+(sw*.25*per if k%2 and sw else 0),.25*np.tanh(3*np.sin(2*np.pi*f*t))*np.minimum(1,(len(t)/sr-t)*100))
        if chords:
            t=np.arange(int(sr*per*bpb*.98))/sr; put(B,sum(.06*np.sign(np.sin(2*np.pi*f*r*t)) for r in(4,5,6))*np.minimum(1,(t[-1]-t)*50))
    x=x[:int(secs*sr)]
    if rng.random()<.5: x=x+rng.normal(size=len(x))*10**rng.uniform(-4,-2)
    beats=np.arange(t0,secs-.05,per); beats=beats[beats<t0+bars*bpb*per]
    id=f'dm-{name}_{i:04d}'; x.astype(np.float32).tofile(OUT+f'/{id}.f32'); open(OUT+f'/{id}.txt','w').write('\n'.join('%.4f'%b for b in beats))
    open(OUT+f'/{id}.json','w').write(json.dumps(dict(id=id,style='dm-'+name,bpm=float(bpm),drift=0.,meter=meter,down=list(map(float,beats[::bpb])))))
PL=[{K:'x.......x.......',S:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'},{K:'x.......x.x.....',S:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'},{K:'x.......x.......',S:'....x.......x...'},{K:'x.......x.......',S:'....x.......x...',HH:'x...x...x...x...'},{K:'x...x...x...x...',S:'....x.......x...',HH:'x.x.x.x.x.x.x.x.'},{K:'x.....x.x.......',S:'....x.......x...',HH:'xxxxxxxxxxxxxxxx'}]

def metronome(i):
    """Clicks alone, with or without accent, jitter, noise, a drop-out; every fourth with a second voice across the beat."""
    rng = np.random.default_rng([99, i])
    bpm, secs, start = np.exp(rng.uniform(np.log(40), np.log(240))), rng.uniform(10, 30), rng.uniform(0, 1)
    if rng.random() < .6: bpm = round(bpm)
    x, beats = np.zeros(int(secs * sr)), np.arange(start, secs - .05, 60 / bpm)
    jitter, accent = rng.choice([0, 0, .005, .01]), rng.choice([0, 0, 3, 4])
    def sound(frequency, decay):
        t = np.arange(int(.15 * sr)) / sr
        return np.sin(2 * np.pi * frequency * t) * np.exp(-t * decay) + rng.normal(size=len(t)) * np.exp(-t * 500) * .3
    frequency = np.exp(rng.uniform(np.log(60), np.log(4000)))
    plain, strong = sound(frequency, rng.uniform(30, 300)), sound(frequency * 1.5, rng.uniform(30, 200)) * 1.3
    def put(time, what):
        k = max(0, int((time + jitter * rng.uniform(-1, 1)) * sr))
        x[k:k + len(what)] += what[:len(x) - k]
    for k, beat in enumerate(beats): put(beat, strong if accent and k % accent == 0 else plain)
    if i % 4 == 3 and bpm < 170:
        over = rng.choice([3 / 2, 4 / 3])
        other = sound(frequency * 4, 200) * .4
        for time in np.arange(start, secs - .05, 60 / bpm / over): put(time, other)
    if rng.random() < .3:
        k = int(rng.uniform(.3, .6) * len(x))
        x[k:k + int(rng.uniform(1, 3) * sr)] = 0
    if rng.random() < .4: x += rng.normal(size=len(x)) * 10 ** rng.uniform(-3, -1.3)
    name = f'clicks_{i:04d}'
    x.astype(np.float32).tofile(f'{OUT}/{name}.f32')
    np.savetxt(f'{OUT}/{name}.txt', beats, fmt='%.4f')
    with open(f'{OUT}/{name}.json', 'w') as file:
        json.dump(dict(id=name, style='clicks', bpm=float(bpm), drift=0., meter=4, down=[]), file)

def backbeat(i):
    """Kick on one and three, snare on two and four, a hi-hat on every half beat, each always the same: the plainest beat there is."""
    rng = np.random.default_rng([98, i])
    bpm, secs, start = np.exp(rng.uniform(np.log(64), np.log(176))), rng.uniform(10, 34), rng.uniform(0, .5)
    bpm, period = round(bpm), 60 / round(bpm)
    def decaying(count, seconds): return np.exp(-np.arange(count) / sr / seconds)
    kick = rng.uniform(.5, 1) * np.sin(2 * np.pi * rng.uniform(45, 75) * np.arange(3000) / sr) * decaying(3000, rng.uniform(.03, .08))
    snare = rng.uniform(.3, .7) * rng.uniform(-1, 1, 2500) * decaying(2500, rng.uniform(.015, .05))
    hat = rng.uniform(.05, .3) * np.diff(rng.uniform(-1, 1, 801)) * decaying(800, rng.uniform(.005, .015))
    x, beats = np.zeros(int(secs * sr) + sr), np.arange(start, secs - .05, period)
    for sound, first, apart in (kick, 0, 2), (snare, 1, 2), (hat, 0, .5):
        for time in np.arange(start + first * period, secs, apart * period):
            k = int(round(time * sr))
            x[k:k + len(sound)] += sound
    name = f'dm-backbeat_{i:04d}'
    x[:int(secs * sr)].astype(np.float32).tofile(f'{OUT}/{name}.f32')
    np.savetxt(f'{OUT}/{name}.txt', beats, fmt='%.4f')
    with open(f'{OUT}/{name}.json', 'w') as file:
        json.dump(dict(id=name, style='dm-backbeat', bpm=float(bpm), drift=0., meter=4, down=list(beats[::4])), file)

def main():
    global OUT, FONTS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('output')
    parser.add_argument('--performances', type=int, default=440)
    parser.add_argument('--machines', type=int, default=200)
    parser.add_argument('--plain', type=int, default=70)
    parser.add_argument('--metronomes', type=int, default=80)
    parser.add_argument('--backbeats', type=int, default=0)
    parser.add_argument('--soundfonts', nargs='+', default=FONTS)
    parser.add_argument('--first', type=int, default=0)
    options = parser.parse_args()
    OUT, FONTS = options.output, options.soundfonts
    os.makedirs(OUT, exist_ok=True)
    with ThreadPoolExecutor(2) as pool: list(pool.map(lambda i: make(i, 5), range(options.first, options.first + options.performances)))
    for i in range(options.first, options.first + options.machines): machine(i)
    ST.clear()
    ST['plain'] = (68, 145, 4, 0, PL, '')
    names[:] = ['plain']
    for i in range(options.first + 900, options.first + 900 + options.plain): machine(i)
    for i in range(options.first, options.first + options.metronomes): metronome(i)
    for i in range(options.first, options.first + options.backbeats): backbeat(i)
    tables = {}
    for name in sorted(os.listdir(OUT)):
        if not name.endswith('.json'): continue
        with open(OUT + '/' + name) as file: clip = json.load(file)
        style = clip['style'].removeprefix('dm-')
        kind = 'metronome' if style == 'clicks' else 'machine' if clip['id'].startswith('dm-') else 'performance'
        moves = clip['drift'] or kind == 'performance' and style in RUB
        tables.setdefault(kind, []).append(
            [clip['id'], '%.4f' % clip['bpm'], 'no' if moves else 'yes', kind, 'synthetic:' + style, clip['id'] + '.txt'])
    for kind, rows in tables.items():
        midi.write_manifest(f'{OUT}/{kind}s.csv', rows)


if __name__ == '__main__':
    main()
