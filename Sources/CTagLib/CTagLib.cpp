#include "CTagLib.h"

#include <taglib/apefooter.h>
#include <taglib/apetag.h>
#include <taglib/asffile.h>
#include <taglib/asfpicture.h>
#include <taglib/commentsframe.h>
#include <taglib/id3v1genres.h>
#include <taglib/id3v1tag.h>
#include <taglib/id3v2tag.h>
#include <taglib/infotag.h>
#include <taglib/itfile.h>
#include <taglib/modfile.h>
#include <taglib/mp4file.h>
#include <taglib/popularimeterframe.h>
#include <taglib/s3mfile.h>
#include <taglib/tbytevectorstream.h>
#include <taglib/textidentificationframe.h>
#include <taglib/uniquefileidentifierframe.h>
#include <taglib/unsynchronizedlyricsframe.h>
#include <taglib/urllinkframe.h>
#include <taglib/xiphcomment.h>
#include <taglib/xmfile.h>
#include <zlib.h>

#include <array>
#include <limits>
#include <new>
#include <string>

using namespace TagLib;

namespace {

// TagLib keeps strings as UTF-16, one unit to a character; its own conversion gives nothing at all for strings with
// half a surrogate pair, where this one puts U+FFFD.
std::string utf8(const String &text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (auto unit = text.begin(); unit != text.end(); ++unit) {
    auto scalar = static_cast<uint32_t>(*unit);
    if (scalar >= 0xD800 && scalar < 0xE000) {
      const auto next = unit + 1;
      const uint32_t low = next == text.end() ? 0 : static_cast<uint32_t>(*next);
      if (scalar < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
        scalar = 0x10000 + ((scalar - 0xD800) << 10) + (low - 0xDC00);
        unit = next;
      } else {
        scalar = 0xFFFD;
      }
    }
    if (scalar < 0x80) {
      bytes += static_cast<char>(scalar);
      continue;
    }
    const int continuations = scalar < 0x800 ? 1 : scalar < 0x10000 ? 2 : 3;
    const uint32_t lead = continuations == 1 ? 0xC0 : continuations == 2 ? 0xE0 : 0xF0;
    bytes += static_cast<char>(lead | scalar >> (6 * continuations));
    for (int i = continuations - 1; i >= 0; i--) bytes += static_cast<char>(0x80 | (scalar >> (6 * i) & 0x3F));
  }
  return bytes;
}

class Sink {
public:
  explicit Sink(const ctaglib_sink &sink) : sink(sink) {}

  void text(const String &key, const String &value) const {
    const std::string k = utf8(key), v = utf8(value);
    sink.text(sink.context, k.data(), k.size(), v.data(), v.size());
  }

  void text(const String &key, const StringList &values) const {
    for (const String &value : values) text(key, value);
  }

  void text(const String &key, long long number) const {
    const std::string k = utf8(key), v = std::to_string(number);
    sink.text(sink.context, k.data(), k.size(), v.data(), v.size());
  }

  void picture(int type, const String &mime, const ByteVector &data) const {
    const std::string m = utf8(mime);
    sink.picture(
        sink.context, type, m.data(), m.size(), reinterpret_cast<const uint8_t *>(data.data()), data.size());
  }

private:
  const ctaglib_sink &sink;
};

// What TagLib's tag classes want to read from.
class TagBytes : public File {
public:
  explicit TagBytes(IOStream *stream) : File(stream) {}
  Tag *tag() const override { return nullptr; }
  AudioProperties *audioProperties() const override { return nullptr; }
  bool save() override { return false; }
};

String keyOf(const ByteVector &frameID) { return String(frameID, String::Latin1); }

void readFrame(const ID3v2::Frame &frame, const Sink &sink) {
  const String id = keyOf(frame.frameID());
  if (auto user = dynamic_cast<const ID3v2::UserTextIdentificationFrame *>(&frame)) {
    // The first entry of the list is the description.
    const StringList list = user->fieldList();
    bool isDescription = true;
    for (const String &value : list) {
      if (!isDescription) sink.text(id + ":" + user->description(), value);
      isDescription = false;
    }
  } else if (auto text = dynamic_cast<const ID3v2::TextIdentificationFrame *>(&frame)) {
    sink.text(id, text->fieldList());
  } else if (auto comment = dynamic_cast<const ID3v2::CommentsFrame *>(&frame)) {
    const String description = comment->description();
    sink.text(description.isEmpty() ? id : id + ":" + description, comment->text());
  } else if (auto lyrics = dynamic_cast<const ID3v2::UnsynchronizedLyricsFrame *>(&frame)) {
    sink.text(id, lyrics->text());
  } else if (auto identifier = dynamic_cast<const ID3v2::UniqueFileIdentifierFrame *>(&frame)) {
    sink.text(id + ":" + identifier->owner(), String(identifier->identifier(), String::Latin1));
  } else if (auto userLink = dynamic_cast<const ID3v2::UserUrlLinkFrame *>(&frame)) {
    sink.text(id + ":" + userLink->description(), userLink->url());
  } else if (auto link = dynamic_cast<const ID3v2::UrlLinkFrame *>(&frame)) {
    sink.text(id, link->url());
  } else if (auto rating = dynamic_cast<const ID3v2::PopularimeterFrame *>(&frame)) {
    sink.text(id + ":" + rating->email(), rating->rating());
  }
}

ctaglib_status readID3v2(IOStream &stream, const Sink &sink) {
  TagBytes file(&stream);
  const ID3v2::Tag tag(&file, 0);
  for (const ID3v2::Frame *frame : tag.frameList()) readFrame(*frame, sink);
  return CTAGLIB_OK;
}

ctaglib_status readID3v1(IOStream &stream, const Sink &sink) {
  TagBytes file(&stream);
  const ID3v1::Tag tag(&file, 0);
  sink.text("title", tag.title());
  sink.text("artist", tag.artist());
  sink.text("album", tag.album());
  // TagLib turns the four characters into a number; zero stands for none.
  if (tag.year() > 0) sink.text("date", static_cast<long long>(tag.year()));
  sink.text("comment", tag.comment());
  if (tag.track() > 0) sink.text("track", static_cast<long long>(tag.track()));
  sink.text("genre", tag.genre());
  return CTAGLIB_OK;
}

ctaglib_status readAPE(IOStream &stream, const Sink &sink) {
  const long end = stream.length();
  if (end < static_cast<long>(APE::Footer::size())) return CTAGLIB_INVALID;
  TagBytes file(&stream);
  const APE::Tag tag(&file, end - static_cast<long>(APE::Footer::size()));
  for (const auto &[key, item] : tag.itemListMap())
    if (item.type() != APE::Item::Binary) sink.text(key, item.values());
  return CTAGLIB_OK;
}

ctaglib_status readVorbisComment(const ByteVector &bytes, const Sink &sink) {
  const Ogg::XiphComment comment(bytes);
  for (const auto &[key, values] : comment.fieldListMap()) sink.text(key, values);
  return CTAGLIB_OK;
}

ctaglib_status readInfo(const ByteVector &bytes, const Sink &sink) {
  const RIFF::Info::Tag tag(bytes);
  for (const auto &[key, value] : tag.fieldListMap()) sink.text(keyOf(key), value);
  return CTAGLIB_OK;
}

ByteVector atom(const char *name, const ByteVector &content) {
  return ByteVector::fromUInt(content.size() + 8) + ByteVector(name, 4) + content;
}

void readItem(const String &key, const MP4::Item &item, const Sink &sink) {
  const StringList values = item.toStringList();
  if (!values.isEmpty()) return sink.text(key, values);
  // Free-form items whose type is not text; some writers forget to set it.
  for (const ByteVector &data : item.toByteVectorList())
    if (data.size() > 0 && data.find('\0') < 0) sink.text(key, String(data, String::UTF8));
}

ctaglib_status readMP4(const ByteVector &items, const Sink &sink) {
  // `meta` is a full box: version and flags stand before its children.
  const ByteVector meta = atom("meta", ByteVector(4, '\0') + atom("ilst", items));
  ByteVectorStream stream(atom("moov", atom("udta", meta)));
  MP4::File file(&stream, false);
  if (!file.isValid() || !file.tag()) return CTAGLIB_INVALID;
  for (const auto &[key, item] : file.tag()->itemMap()) readItem(key, item, sink);
  return CTAGLIB_OK;
}

void readAttribute(const String &key, const ASF::Attribute &attribute, const Sink &sink) {
  switch (attribute.type()) {
  case ASF::Attribute::UnicodeType: return sink.text(key, attribute.toString());
  case ASF::Attribute::BoolType: return sink.text(key, static_cast<long long>(attribute.toBool()));
  case ASF::Attribute::DWordType: return sink.text(key, static_cast<long long>(attribute.toUInt()));
  case ASF::Attribute::QWordType: return sink.text(key, static_cast<long long>(attribute.toULongLong()));
  case ASF::Attribute::WordType: return sink.text(key, static_cast<long long>(attribute.toUShort()));
  case ASF::Attribute::BytesType:
  case ASF::Attribute::GuidType: break;
  }
  if (key == "WM/Picture") {
    const ASF::Picture picture = attribute.toPicture();
    if (picture.isValid()) sink.picture(picture.type(), picture.mimeType(), picture.picture());
  }
}

ctaglib_status readASF(IOStream &stream, const Sink &sink) {
  // The file itself is not valid for TagLib, as the properties of its streams are not there.
  ASF::File file(&stream, false);
  const ASF::Tag *tag = file.tag();
  if (!tag) return CTAGLIB_INVALID;
  sink.text("Title", tag->title());
  sink.text("Author", tag->artist());
  sink.text("Copyright", tag->copyright());
  sink.text("Description", tag->comment());
  sink.text("Rating", tag->rating());
  for (const auto &[key, attributes] : tag->attributeListMap())
    for (const ASF::Attribute &attribute : attributes) readAttribute(key, attribute, sink);
  return CTAGLIB_OK;
}

template <class TrackerFile> ctaglib_status readTracker(IOStream &stream, const Sink &sink) {
  TrackerFile file(&stream, false);
  if (!file.isValid()) return CTAGLIB_INVALID;
  const Mod::Tag *tag = static_cast<const Mod::Tag *>(file.tag());
  sink.text("title", tag->title());
  sink.text("comment", tag->comment());
  sink.text("tracker", tag->trackerName());
  return CTAGLIB_OK;
}

ctaglib_status read(ctaglib_kind kind, const ByteVector &bytes, const Sink &sink) {
  ByteVectorStream stream(bytes);
  switch (kind) {
  case CTAGLIB_ID3V2: return readID3v2(stream, sink);
  case CTAGLIB_ID3V1: return readID3v1(stream, sink);
  case CTAGLIB_APEV2: return readAPE(stream, sink);
  case CTAGLIB_VORBIS_COMMENT: return readVorbisComment(bytes, sink);
  case CTAGLIB_RIFF_INFO: return readInfo(bytes, sink);
  case CTAGLIB_MP4_ILST: return readMP4(bytes, sink);
  case CTAGLIB_ASF_HEADER: return readASF(stream, sink);
  case CTAGLIB_MOD: return readTracker<Mod::File>(stream, sink);
  case CTAGLIB_S3M: return readTracker<S3M::File>(stream, sink);
  case CTAGLIB_IT: return readTracker<IT::File>(stream, sink);
  case CTAGLIB_XM: return readTracker<XM::File>(stream, sink);
  }
  return CTAGLIB_INVALID;
}

}  // namespace

ctaglib_status ctaglib_read(ctaglib_kind kind, const uint8_t *bytes, size_t count, const ctaglib_sink *sink) {
  if (!bytes || count > static_cast<size_t>(std::numeric_limits<int>::max()) / 2) return CTAGLIB_INVALID;
  try {
    return read(kind, ByteVector(reinterpret_cast<const char *>(bytes), static_cast<unsigned>(count)), Sink(*sink));
  } catch (const std::bad_alloc &) {
    return CTAGLIB_OUT_OF_MEMORY;
  } catch (...) {
    return CTAGLIB_FAILED;
  }
}

const char *ctaglib_genre_name(int number) {
  static const auto names = [] {
    std::array<std::string, 256> names;
    for (int i = 0; i < 256; i++) names[static_cast<size_t>(i)] = ID3v1::genre(i).to8Bit(true);
    return names;
  }();
  if (number < 0 || number > 255) return nullptr;
  const std::string &name = names[static_cast<size_t>(number)];
  return name.empty() ? nullptr : name.c_str();
}

ptrdiff_t ctaglib_inflate(const uint8_t *input, size_t count, uint8_t *output, size_t capacity) {
  const size_t limit = std::numeric_limits<uInt>::max();
  if (count > limit || capacity > limit) return -1;
  z_stream stream = {};
  stream.next_in = const_cast<Bytef *>(input);
  stream.avail_in = static_cast<uInt>(count);
  stream.next_out = output;
  stream.avail_out = static_cast<uInt>(capacity);
  if (inflateInit(&stream) != Z_OK) return -1;
  const int status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  return status == Z_STREAM_END ? static_cast<ptrdiff_t>(capacity - stream.avail_out) : -1;
}
