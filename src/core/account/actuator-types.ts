/** The current actuators. For clients the set is open (protocol.md#snapshot). */
export const actuatorTypes = ['emergency_contacts', 'chat', 'webhook'] as const
export type ActuatorType = (typeof actuatorTypes)[number]
