/**
 * Which files hold a hash of their content in their names, so that another content would have another name. Such a file is kept by
 * browsers for a year, which cannot be taken back: a name that might be words, a date, a version or a serial number has none.
 */
export function namesWithHash(paths: readonly string[]): ReadonlySet<string> {
  // One hash that cannot be mistaken tells that a bundler has written into this folder.
  const ofBundlers = new Set(paths.filter((path) => isMixed(tokenOf(path))).map(folderOf))
  return new Set(paths.filter((path) => hasHash(path, ofBundlers.has(folderOf(path)))))
}

function hasHash(path: string, isBesideOthers: boolean): boolean {
  const token = tokenOf(path)
  if (isHexadecimal(nameOf(path)) || isMixed(token) || isOfEsbuild(path, token)) return true
  return isBesideOthers && isPossiblyMixed(token)
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1)
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** The eight characters before the extension, where a sign parts them from the rest of the name; or nothing. */
const tokenOf = (path: string): string =>
  /.[.-]([\w-]{8})(?:\.chunk|\.min)?\.[a-z\d]{1,8}(?:\.map)?$/.exec(nameOf(path))?.[1] ?? ''

/** webpack, Parcel, Next.js: `main.7f3c9a12.js`. Letters alone may be a word, figures alone a date, and a UUID stays when its file changes. */
const isHexadecimal = (name: string): boolean =>
  /.[.-](?=[\da-f]*[a-f])(?=[\da-f]*\d)[\da-f]{8,64}\.[^.]/.test(name) && !UUID.test(name)

const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\./

/** Capitals in other places than at the beginning of a word: `Level1Up` and `MainMenu` have none. */
const OUT_OF_PLACE = /[A-Z](?![a-z])/

/** Vite, Rollup, Astro: `index-BxY3_a1Q.js`. Capitals, small letters and figures, and nothing in it that reads like a word or a number. */
const isMixed = (token: string): boolean =>
  OUT_OF_PLACE.test(token) && /[a-z]/.test(token) && /\d/.test(token) && !/[a-z]{3}|\d{3}/.test(token)

/** One in five of their hashes has no figure: `index-DqLHHUqZ.js`. */
const isPossiblyMixed = (token: string): boolean =>
  OUT_OF_PLACE.test(token) && /[a-z]/.test(token) && !/[a-z]{4}|\d{3}/.test(token)

/** esbuild, Angular: `main-N5F4DHSX.js`, of A to Z and 2 to 7. Letters and then figures may be a number: `IMG24567`. */
const isOfEsbuild = (path: string, token: string): boolean =>
  /\.(?:js|mjs|css)(?:\.map)?$/.test(path) &&
  (nameOf(path).startsWith(`chunk-${token}.`)
    ? /^(?=.*[A-Z])[A-Z\d]{8}$/.test(token)
    : /^(?=.*\d[A-Z])[A-Z2-7]{8}$/.test(token))
