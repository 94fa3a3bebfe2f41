import * as fc from 'fast-check'

/** JSON in every valid spelling: any white space, any escape, any form of a number. */
export const jsonSpace = fc.stringMatching(/^[ \t\n\r]{0,3}$/)

const number = fc.stringMatching(/^-?(0|[1-9]\d{0,9})(\.\d{1,9})?([eE][+-]?\d{1,4})?$/)
const character = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }).map((one) => JSON.stringify(one).slice(1, -1)),
  fc.constantFrom('\\"', '\\\\', '\\/', '\\n', '\\u0061', '\\uD83D\\uDE00', '{', '}', '[', ']', ',', ':'),
  fc.constantFrom('\\u0000', '\\ud800', '\\uDC00', '__proto__'),
)
export const jsonString = fc.array(character, { maxLength: 8 }).map((all) => `"${all.join('')}"`)

const separated = (items: readonly string[], spaces: readonly string[]) =>
  items.map((item, i) => `${spaces[2 * i] ?? ''}${item}${spaces[2 * i + 1] ?? ''}`).join(',')
const spaces = fc.array(jsonSpace, { minLength: 8, maxLength: 8 })

/** At most four members, of these names, with these values. */
export const jsonObject = (name: fc.Arbitrary<string>, value: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.array(fc.tuple(name, jsonSpace, jsonSpace, value), { maxLength: 4 }), spaces)
    .map(([members, around]) => {
      const texts = members.map(([key, before, after, item]) => `${key}${before}:${after}${item}`)
      return `{${separated(texts, around)}}`
    })

/** A value of any kind. */
export const jsonText = fc.letrec<{ value: string; array: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('null', 'true', 'false'),
    number,
    jsonString,
    tie('array'),
    tie('object'),
  ),
  array: fc
    .tuple(fc.array(tie('value'), { maxLength: 4 }), spaces)
    .map(([items, around]) => `[${separated(items, around)}]`),
  object: jsonObject(jsonString, tie('value')),
})).value

/** Nested arrays. */
export const nestedJson = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

/** JSON that no JavaScript value can represent, or that databases reject or change. */
export const ODD_JSON: readonly string[] = [
  '"\\u0000"',
  '"\\ud800"',
  '{"\\uDC00\\u0000":1}',
  '1e400',
  '-1E+999999',
  `[${'9'.repeat(400)}, 1.0, 1, 1e2, -0]`,
  '{"__proto__":{"a":1},"constructor":null}',
  '{"a":1,"a":2, "\\u0061":3}',
  nestedJson(512),
  `${'{"a":'.repeat(512)}1e999${'}'.repeat(512)}`,
]
