import type { FastifyInstance } from 'fastify'
import { appDeviceRoutes } from './app-devices.ts'
import { cardRoutes } from './card.ts'
import { contactRoutes } from './contacts.ts'
import { countryPlanRoutes } from './country-plan.ts'
import { deviceRoutes } from './devices.ts'
import { drillRoutes } from './drills.ts'
import { eventRoutes } from './events.ts'
import { feedbackRoutes, tokenRoutes } from './feedback.ts'
import { messageRoutes } from './messages.ts'
import { phoneRoutes } from './phone.ts'
import { profileRoutes } from './profile.ts'
import { pushRoutes } from './push.ts'
import { readinessRoutes } from './readiness.ts'
import { sosRoutes } from './sos.ts'
import { telemetryRoutes } from './telemetry.ts'
import { timerRoutes } from './timers.ts'

/** In the order in which they are registered, which is that of the OpenAPI document. */
const nouns = [
  profileRoutes,
  cardRoutes,
  phoneRoutes,
  readinessRoutes,
  contactRoutes,
  sosRoutes,
  eventRoutes,
  messageRoutes,
  timerRoutes,
  drillRoutes,
  telemetryRoutes,
  deviceRoutes,
  appDeviceRoutes,
  pushRoutes,
  countryPlanRoutes,
  tokenRoutes,
  feedbackRoutes,
]

/** The needs of all of them together: an intersection. */
type Needs = (typeof nouns)[number] extends (needs: infer Each) => unknown ? Each : never

/** Needs of the API for apps beyond those of the rest of the interface. */
export type SdkNeeds = Omit<Needs, 'pages'>

/** The API for apps (protocol.md#rest). */
export function addSdkRoutes(app: FastifyInstance, needs: Needs): void {
  for (const routesOf of nouns) routesOf(needs)(app)
}
