/** The peer that the aims of ingest are measured by. */
export const MOSQUITTO = 'Mosquitto'

/** A broker under load, running as a separate process. */
export type Contender = {
  readonly name: string
  /** What its acknowledgement guarantees. */
  readonly note: string
  /** Plain MQTT on 127.0.0.1. */
  readonly port: number
  readonly pid: number
}
