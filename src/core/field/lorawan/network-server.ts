/** A LoRaWAN network server that passes uplinks on. Its token belongs to one application. */
export type NetworkServer = {
  readonly name: string
  readonly type: 'chirpstack' | 'tts'
  readonly appId: string
  /** The profile of trackers whose registered model is none. Null: they have none. */
  readonly profile: string | null
}
