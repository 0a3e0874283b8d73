import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

/** Whether the country code of an E.164 number is assigned and that country has numbers of this length. */
export const isPossibleNumber = (phone: string): boolean => parsePhoneNumberFromString(phone)?.isPossible() === true
