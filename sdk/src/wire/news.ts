import type { TimerReminder } from './account.ts'
import type { IncidentNews } from './incident.ts'
import type { MessageNews, ReadersNews } from './message.ts'

/** An event for a user's apps. */
export type News = IncidentNews | TimerReminder | MessageNews | ReadersNews
