/** The verified user behind a request or connection. protocol.md#identity, rules.md#login. */
export type Session = {
  readonly appId: string
  /** The `sdk_user_id`, which is the user segment in all MQTT topics. */
  readonly userId: string
  readonly externalUserId: string
  /** Whether the application allows the legacy topics of rules.md#legacy-topics. */
  readonly legacy: boolean
  /** The application secret that admitted this session, so that retiring it can end the session. */
  readonly secretId: number
}
