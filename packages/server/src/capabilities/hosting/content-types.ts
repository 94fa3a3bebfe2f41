type ContentType = { type: string; isCompressible: boolean }

const text = (type: string): ContentType => ({ type: `${type}; charset=utf-8`, isCompressible: true })
const loose = (type: string): ContentType => ({ type, isCompressible: true })
/** Compressed already. */
const dense = (type: string): ContentType => ({ type, isCompressible: false })

const UNKNOWN = dense('application/octet-stream')

/** What the web is made of, by extension; anything else is downloaded as it is. */
const TYPES = new Map<string, ContentType>(
  Object.entries({
    html: text('text/html'),
    htm: text('text/html'),
    css: text('text/css'),
    js: text('text/javascript'),
    mjs: text('text/javascript'),
    txt: text('text/plain'),
    md: text('text/markdown'),
    csv: text('text/csv'),
    vtt: text('text/vtt'),
    ics: text('text/calendar'),
    json: text('application/json'),
    map: text('application/json'),
    webmanifest: text('application/manifest+json'),
    xml: text('application/xml'),
    rss: text('application/rss+xml'),
    atom: text('application/atom+xml'),
    svg: text('image/svg+xml'),
    glsl: text('text/plain'),
    wgsl: text('text/plain'),
    frag: text('text/plain'),
    vert: text('text/plain'),
    obj: text('text/plain'),
    gltf: text('model/gltf+json'),
    wasm: loose('application/wasm'),
    glb: loose('model/gltf-binary'),
    bin: loose('application/octet-stream'),
    data: loose('application/octet-stream'),
    pck: loose('application/octet-stream'),
    ttf: loose('font/ttf'),
    otf: loose('font/otf'),
    ico: loose('image/vnd.microsoft.icon'),
    bmp: loose('image/bmp'),
    wav: loose('audio/wav'),
    woff: dense('font/woff'),
    woff2: dense('font/woff2'),
    png: dense('image/png'),
    apng: dense('image/apng'),
    jpg: dense('image/jpeg'),
    jpeg: dense('image/jpeg'),
    gif: dense('image/gif'),
    webp: dense('image/webp'),
    avif: dense('image/avif'),
    mp3: dense('audio/mpeg'),
    m4a: dense('audio/mp4'),
    aac: dense('audio/aac'),
    ogg: dense('audio/ogg'),
    opus: dense('audio/ogg'),
    flac: dense('audio/flac'),
    mp4: dense('video/mp4'),
    m4v: dense('video/mp4'),
    webm: dense('video/webm'),
    ogv: dense('video/ogg'),
    mov: dense('video/quicktime'),
    pdf: dense('application/pdf'),
    zip: dense('application/zip'),
    gz: dense('application/gzip'),
  }),
)

export const contentTypeOf = (path: string): ContentType =>
  TYPES.get(/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '') ?? UNKNOWN
