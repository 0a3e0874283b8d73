import { deviceKeyOf } from '../field/lorawan/dev-eui.ts'
import type { Alert } from './alert.ts'

/** The device in an alert's identity; empty where it names none. rules.md#identity, rules.md#device-ids. */
export const identifiedDevice = ({ payload }: Pick<Alert, 'payload'>): string => deviceKeyOf(payload.deviceId ?? '')
