/** The three identity headers, or the equivalent CONNECT fields, as sent. */
export type Credentials = { readonly appId: string; readonly externalUserId: string; readonly userHash: string }

/**
 * Splits `sdk:<app_id>:<external_user_id>` at its first two colons only, because an external id may contain colons.
 * Null for anything else. protocol.md#mqtt, access.md#login.
 */
export function parseMqttUsername(username: string): Pick<Credentials, 'appId' | 'externalUserId'> | null {
  const match = /^sdk:([^:]*):(.*)$/s.exec(username)
  return match === null ? null : { appId: match[1]!, externalUserId: match[2]! }
}

const MAX_EXTERNAL_ID = 128

/** 1 to 128 characters, none of them a control character. access.md#login. */
export const isExternalUserId = (id: string): boolean =>
  id.length > 0 && [...id].length <= MAX_EXTERNAL_ID && !/[\p{Cc}\p{Cs}]/u.test(id)
