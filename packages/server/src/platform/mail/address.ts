import { LIMITS } from '@svc/contract/common/limits'
import { EMAIL_PATTERN } from '@svc/contract/developers/developers'

const PATTERN = new RegExp(EMAIL_PATTERN, 'u')

/** Whether it is a valid address, by the same rule as in requests (AUT-05). */
export const isEmailAddress = (text: string): boolean =>
  text.length <= LIMITS.emailLengthMax && PATTERN.test(text)

/** How an address is stored and compared: é typed as one character or as two is the same address. */
export const normalisedEmail = (address: string): string => address.trim().toLowerCase().normalize('NFC')
