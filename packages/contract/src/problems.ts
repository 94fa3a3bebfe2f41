import type { TLocalizedValidationError } from 'typebox/error'

/** One thing wrong with what a caller sent, and where (GEN-06). */
export type Problem = { path: string; message: string }

/** What a validator found, in words a caller can act on: one problem a place, missing fields by their own path. */
export function problemsOf(errors: readonly TLocalizedValidationError[]): Problem[] {
  const found = new Map<string, string>()
  for (const error of errors) {
    for (const { path, message } of problemsOfOne(error)) if (!found.has(path)) found.set(path, message)
  }
  // The parent of a wrong field is wrong only because the field is.
  const paths = [...found.keys()]
  return [...found]
    .filter(
      ([path]) =>
        !paths.some(
          (other) => other !== path && /^[.[]/.test(other.slice(path.length)) && other.startsWith(path),
        ),
    )
    .map(([path, message]) => ({ path, message }))
}

function problemsOfOne(error: TLocalizedValidationError): Problem[] {
  const path = jsonPath(error.instancePath)
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map((name) => ({
      path: `${path}.${name}`,
      message: 'is required',
    }))
  }
  return [{ path, message: error.message }]
}

/** `/stats/2/key` → `$.stats[2].key` */
export const jsonPath = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => path + (/^\d+$/.test(part) ? `[${part}]` : `.${part}`), '$')
