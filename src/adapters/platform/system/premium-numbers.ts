import { parsePhoneNumberFromString } from 'libphonenumber-js/max'

/** Whether a call to an E.164 number earns its owner money. False where the numbers of a country are not known. */
export const isPremiumNumber = (phone: string): boolean =>
  parsePhoneNumberFromString(phone)?.getType() === 'PREMIUM_RATE'
