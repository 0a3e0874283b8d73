import { phoneLibrary } from './phone-library.ts'

/** Whether the country code of an E.164 number is assigned and that country has numbers of this length. */
export const isPossibleNumber = (phone: string): boolean =>
  phoneLibrary().parsePhoneNumberFromString(phone)?.isPossible() === true
