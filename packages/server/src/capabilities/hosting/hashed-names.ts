/**
 * Finds the files that have a hash of their content in their names, so that other content has another name. Browsers cache such a
 * file for a year, which cannot be undone; so a name that may be words, a date, a version or a serial number does not count.
 */
export function namesWithHash(paths: readonly string[]): ReadonlySet<string> {
  // One certain hash shows that a bundler has written this folder.
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

/** The eight characters before the extension, if a separator comes before them; otherwise empty. */
const tokenOf = (path: string): string =>
  /.[.-]([\w-]{8})(?:\.chunk|\.min)?\.[a-z\d]{1,8}(?:\.map)?$/.exec(nameOf(path))?.[1] ?? ''

/**
 * webpack, Parcel, Next.js: `main.7f3c9a12.js`. Letters alone may be a word, digits alone a date, and a UUID stays the same when
 * its file changes.
 */
const isHexadecimal = (name: string): boolean =>
  /.[.-](?=[\da-f]*[a-f])(?=[\da-f]*\d)[\da-f]{8,64}\.[^.]/.test(name) && !UUID.test(name)

const UUID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\./

/** A capital that is not at the beginning of a word: `Level1Up` and `MainMenu` have none. */
const OUT_OF_PLACE = /[A-Z](?![a-z])/

/**
 * Vite, Rollup, Astro: `index-BxY3_a1Q.js`. Upper-case letters, lower-case letters and digits, and no part that looks like a word
 * or a number.
 */
const isMixed = (token: string): boolean =>
  OUT_OF_PLACE.test(token) && /[a-z]/.test(token) && /\d/.test(token) && !/[a-z]{3}|\d{3}/.test(token)

/** One in five of their hashes has no digit: `index-DqLHHUqZ.js`. */
const isPossiblyMixed = (token: string): boolean =>
  OUT_OF_PLACE.test(token) && /[a-z]/.test(token) && !/[a-z]{4}|\d{3}/.test(token)

/** esbuild, Angular: `main-N5F4DHSX.js`, of A to Z and 2 to 7. Letters followed by digits may be a number: `IMG24567`. */
const isOfEsbuild = (path: string, token: string): boolean =>
  /\.(?:js|mjs|css)(?:\.map)?$/.test(path) &&
  (nameOf(path).startsWith(`chunk-${token}.`)
    ? /^(?=.*[A-Z])[A-Z\d]{8}$/.test(token)
    : /^(?=.*\d[A-Z])[A-Z2-7]{8}$/.test(token))
