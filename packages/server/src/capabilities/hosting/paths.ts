/** A path of a manifest, encoded for a URL. */
export const encodedPath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** Checks the last segment only: `/v1.2/play` has no extension. */
export const hasExtension = (path: string): boolean => /[^/]\.[^/.]+$/.test(path)
