import type { TimerReminder } from './account.js';
import type { IncidentNews } from './incident.js';
import type { MessageNews, ReadersNews } from './message.js';
/** An event for a user's apps. */
export type News = IncidentNews | TimerReminder | MessageNews | ReadersNews;
