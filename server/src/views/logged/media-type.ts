const types: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  bmp: "image/bmp",
  svg: "image/svg+xml",
  wav: "audio/wav",
  mp3: "audio/mpeg",
  ogg: "application/ogg",
  flac: "audio/flac",
  m4a: "audio/mp4",
  mp4: "video/mp4",
  webm: "video/webm",
  avi: "video/x-msvideo",
  mov: "video/quicktime",
  html: "text/html",
  json: "application/json",
};

/** Returns the media type that the end of a file's name says, or null. */
export function mediaTypeOf(path: string): string | null {
  const end = /\.([a-z0-9]+)$/i.exec(path)?.[1].toLowerCase() ?? "";
  return Object.hasOwn(types, end) ? types[end] : null;
}
