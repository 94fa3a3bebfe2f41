import { lazy } from '../../../platform/memory/lazy.ts'

type ContentType = { type: string; isCompressible: boolean }

/** Types of game files that no registry lists, or lists with a type that browsers do not show. */
const OUR_TYPES = {
  'text/plain': ['glsl', 'wgsl', 'frag', 'vert', 'obj', 'mtl'],
  'application/octet-stream': ['bin', 'data', 'pck', 'ts'],
  'image/vnd.microsoft.icon': ['ico'],
  'audio/flac': ['flac'],
  'video/mp4': ['m4v'],
}
/** Files with these extensions often contain uncompressed data, although their type does not show it. */
const LOOSE = /\.(?:bin|data|pck)$/i
const UNKNOWN: ContentType = { type: 'application/octet-stream', isCompressible: false }

const TEXT = /^text\/|^application\/(?:json|xml|javascript)$|\+(?:json|xml)$/
const COMPRESSIBLE =
  /^text\/|^application\/(?:json|xml|javascript|wasm)\b|\+(?:json|xml)\b|^model\/gltf-binary|^font\/(?:ttf|otf)|^image\/(?:vnd\.microsoft\.icon|bmp)|^audio\/wav/

export const isCompressible = (type: string): boolean => COMPRESSIBLE.test(type)

/** The content type of a file by its extension. The table of all types is loaded when the first file needs it. */
export const loadContentTypes = lazy(async () => {
  const [{ Mime }, { default: standardTypes }] = await Promise.all([
    import('mime/lite'),
    import('mime/types/standard.js'),
  ])
  const mime = new Mime(standardTypes).define(OUR_TYPES, true)
  return (path: string): ContentType => {
    const type = mime.getType(path)
    if (type === null) return UNKNOWN
    if (TEXT.test(type)) return { type: `${type}; charset=utf-8`, isCompressible: true }
    return { type, isCompressible: isCompressible(type) || LOOSE.test(path) }
  }
})
