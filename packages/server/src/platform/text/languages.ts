/**
 * The languages of an Accept-Language header, the preferred one first. Invalid language tags and languages with weight 0 are left
 * out.
 *
 *     acceptedLanguages('fr;q=0.5, de-AT, *') // ['de-AT', 'fr']
 */
export function acceptedLanguages(header: string): string[] {
  const preferences = header.split(',', LANGUAGES_MAX).map((preference) => {
    const [language = '', ...parameters] = preference.split(';').map((part) => part.trim())
    const weight = parameters.find((part) => part.startsWith('q='))?.slice(2)
    return { language, weight: weight === undefined ? 1 : Number(weight) }
  })
  return preferences
    .filter(({ language, weight }) => weight > 0 && isLanguage(language))
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ language }) => language)
}

const LANGUAGES_MAX = 20
const LANGUAGE_LENGTH_MAX = 35

function isLanguage(text: string): boolean {
  if (text.length > LANGUAGE_LENGTH_MAX) return false
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}
