/**
 * Who is on the other side of a request or a connection, once the user hash has been verified.
 * protocol.md#identity, rules.md#login.
 */
export type Session = {
  readonly appId: string
  /** The `sdk_user_id`: the segment of every MQTT topic of this user. */
  readonly userId: string
  readonly externalUserId: string
  /** The application allows the legacy topics of rules.md#legacy-topics. */
  readonly legacy: boolean
  /** Which of the application's secrets admitted this session, so that retiring it can end the session. */
  readonly secretId: number
}
