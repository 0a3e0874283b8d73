/**
 * Before the number in the external id of a user whom an SOS by SMS has made. No backend gives such ids: plain `sms:`
 * would lock out people of sites that sign in by number. ADR 0073.
 */
const OF_SMS = 'sms-sos:'

/** The external id of the user for a number that nobody has proved. sms.md#sms-sos. */
export const smsUserId = (phone: string): string => `${OF_SMS}${phone}`

/** Whether a user is that of a number: nobody signs in as one, or they would see and end its alarm. */
export const isOfSms = (externalUserId: string): boolean => externalUserId.startsWith(OF_SMS)
