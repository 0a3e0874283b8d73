import { readable } from '../logic/plain-text.ts'
import { hashOf } from '../logic/route.ts'
import { allTexts } from '../state/language.ts'
import { putSetupNewsAway, setupNews } from '../state/setup-news.ts'
import { moment } from './moment.tsx'
import { partOf } from './setup-changes.tsx'

/** At most this many rows above every view: the setup has all of them. */
const MAX_ROWS = 3

/** Changes that can redirect alarms, above every view until an administrator has seen them. */
export function SetupNewsBar() {
  const t = allTexts.value.site.news
  const { value: news } = setupNews
  return (
    <aside class="shift-news" aria-label={t.title}>
      {news.slice(0, MAX_ROWS).map(({ id, at, author, section }) => (
        <div key={id} class="news" role="status">
          <p>
            {t.changed(readable(author) ?? allTexts.value.somebody, partOf(section), moment(at))}{' '}
            <a href={hashOf('site')}>{t.look}</a>
          </p>
          <button type="button" onClick={() => putSetupNewsAway([id])}>
            {t.seen}
          </button>
        </div>
      ))}
      {news.length > MAX_ROWS && (
        <div class="news" role="status">
          <p>{t.more(news.length - MAX_ROWS)}</p>
          <button type="button" onClick={() => putSetupNewsAway(news.map(({ id }) => id))}>
            {t.allSeen}
          </button>
        </div>
      )}
    </aside>
  )
}
