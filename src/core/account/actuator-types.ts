/** The current actuators. For clients the set is open (protocol.md#snapshot). */
export const actuatorTypes = ['emergency_contacts', 'chat', 'webhook'] as const
export type ActuatorType = (typeof actuatorTypes)[number]

/** The actuators that a snapshot may show. E-mail belongs to the site, so no application configures it. */
export const shownActuators = [...actuatorTypes, 'email'] as const
export type ShownActuator = (typeof shownActuators)[number]
