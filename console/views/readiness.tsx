import { useState } from 'preact/hooks'
import { readinessWords } from '../../src/core/readiness/words.ts'
import type { UserReadiness } from '../api/types.ts'
import { personName } from '../logic/person-name.ts'
import { userHash } from '../logic/route.ts'
import { useApplications } from '../parts/applications.tsx'
import { Field, Form, Select } from '../parts/controls.tsx'
import { Findings, Readiness } from '../parts/findings.tsx'
import { Listing } from '../parts/listing.tsx'
import { allTexts, language } from '../state/language.ts'
import { listWords } from '../texts/lists.ts'

/** Each user of a page takes some reads of the store. */
const PAGE = 25

type Asked = { readonly app: string; readonly status: string; readonly finding: string; readonly text: string }

function queryOf(asked: Asked): string {
  const given = Object.entries(asked).filter(([, value]) => value.trim() !== '')
  return new URLSearchParams([['limit', String(PAGE)], ...given.map(([key, value]) => [key, value.trim()])]).toString()
}

/** A finding as a choice: without a name and a number of days. */
type FindingCode = keyof typeof readinessWords.en
const findingCodes = Object.keys(readinessWords.en) as FindingCode[]

const named = (code: FindingCode): string => readinessWords[language.value][code][0].replace(/\{\w+\}/g, '…')

/** Users who could not be helped today, and what to do about it. `app`: the application to start with. */
export function ReadinessView({ app }: { readonly app: string | null }) {
  const t = allTexts.value
  const own = t.readiness
  const words = listWords[language.value]
  const applications = useApplications()
  const [asked, ask] = useState<Asked>({ app: app ?? '', status: 'not_ready', finding: '', text: '' })
  const [text, write] = useState('')
  const pick = (key: keyof Asked) => (value: string) => ask({ ...asked, [key]: value })
  return (
    <main>
      <h1>{own.heading}</h1>
      <Form class="filters" onSend={() => ask({ ...asked, text })}>
        <Select
          label={own.which}
          value={asked.status}
          options={[
            ['not_ready', own.statuses.not_ready],
            ['', own.everyone],
          ]}
          onPick={pick('status')}
        />
        <Select
          label={t.settings.application}
          value={asked.app}
          options={[['', own.all], ...applications.map(({ applicationId, name }) => [applicationId, name] as const)]}
          onPick={pick('app')}
        />
        <Select
          label={own.finding}
          value={asked.finding}
          options={[['', own.all], ...findingCodes.map((code) => [code, named(code)] as const)]}
          onPick={pick('finding')}
        />
        <Field label={t.users.text} type="search" value={text} onInput={(event) => write(event.currentTarget.value)} />
        <button type="submit" class="main">
          {t.search}
        </button>
      </Form>
      <p class="quiet">{own.inTheirWords}</p>
      <Listing<UserReadiness>
        key={language.value}
        path={`/readiness?${queryOf(asked)}`}
        label={own.heading}
        empty={asked.status === 'not_ready' && asked.text + asked.finding === '' ? words.allReady : words.noMatch}
        columns={[
          [
            t.users.name,
            ({ userId, name, phone, externalUserId }) => (
              <a href={userHash(userId)}>{personName({ name, phone, externalUserId })}</a>
            ),
          ],
          // On a phone the rest is behind the edge.
          [own.finding, ({ findings }) => <Findings findings={findings} />],
          [t.users.state, (one) => <Readiness status={one.status} />],
          [
            t.settings.application,
            ({ applicationId }) => applications.find((one) => one.applicationId === applicationId)?.name,
          ],
        ]}
      />
    </main>
  )
}
