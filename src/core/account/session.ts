/**
 * Who is on the other side of a request or a connection, once the user hash has been verified.
 * Spec, Identity keys; Decisions 1.
 */
export type Session = {
  readonly appId: string
  /** The `sdk_user_id`: the segment of every MQTT topic of this user. */
  readonly userId: string
  readonly externalUserId: string
  /** The application allows the legacy topics of Decisions 3. */
  readonly legacy: boolean
  /** Which of the application's secrets admitted this session, so that retiring it can end the session. */
  readonly secretId: number
}
