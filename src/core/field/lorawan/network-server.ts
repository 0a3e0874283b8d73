/** A LoRaWAN network server that passes uplinks on. Its token belongs to one application. */
export type NetworkServer = {
  readonly name: string
  readonly type: 'chirpstack' | 'tts'
  readonly appId: string
  /** The profile for trackers whose registered model has none. Null: there is no default. */
  readonly profile: string | null
}
