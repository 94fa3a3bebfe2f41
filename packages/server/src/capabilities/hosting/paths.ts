/** A path of a manifest as a URL has it. */
export const encodedPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** In its last part, so that `/v1.2/play` has none. */
export const hasExtension = (path: string): boolean => /[^/]\.[^/.]+$/.test(path)
