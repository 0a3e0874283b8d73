import type { Command } from 'commander'
import { type Drills, operatorDrills } from '../app/operator/drills.ts'
import { planSettings } from '../config/mail-server.ts'
import type { Application } from '../core/account/application.ts'
import type { DrillReport } from '../core/incident/drill-report.ts'
import { DRILL_COUNTS_MS } from '../core/readiness/findings.ts'
import { type Answer, table } from './answer.ts'
import { type Act, byCommand, type CommandContext, findApplication } from './command-context.ts'

/** `tocsin drill …`: exercises, which go the whole way of an alarm and say so. preparing.md#drills. */
export function addDrillCommands(program: Command, act: Act): void {
  const drill = program.command('drill').description('exercises: start them, end them, and see how they went')
  const ONE = ['--user <external-id>', 'one user, instead of every enabled user of the application'] as const

  drill
    .command('start <app>')
    .description('start an exercise: an incident that says EXERCISE in every text')
    .option(...ONE)
    .option('--contacts', 'send SMS and calls to the contacts; otherwise they stay in the outbox', false)
    .action(
      act((context, app: string, { user, contacts }: { readonly user?: string; readonly contacts: boolean }) =>
        withDrills(context, app, async (drills, { id }) => {
          // The store was opened before the console's settings were read.
          if (contacts) await context.store.planWith(planSettings(context.config))
          const given = { externalUserId: user ?? null, toContacts: contacts }
          const done = await drills.start(id, given, byCommand(context))
          if ('refused' in done) return { refused: refusals[done.refused] }
          const rows = [
            ...done.started.map(({ externalUserId, incidentId }) => ({ user: externalUserId, drill: incidentId })),
            ...done.passedOver.map(({ externalUserId, reason }) => ({
              user: externalUserId,
              drill: `none: ${reasons[reason]}`,
            })),
          ]
          return { json: done, text: table(rows, 'No exercise was started.') }
        }),
      ),
    )

  drill
    .command('report <app>')
    .description('report on exercises: who answered, how fast, what failed')
    .option('--user <external-id>', 'only this user (default: all of the application)')
    .option('--since <when>', 'started then or later, RFC 3339 (default: the last 90 days)')
    .action(
      act((context, app: string, { user, since }: { readonly user?: string; readonly since?: string }) =>
        withDrills(context, app, async (drills, { id }) => {
          const from = since === undefined ? context.now - DRILL_COUNTS_MS : Date.parse(since)
          if (Number.isNaN(from)) return { refused: '--since must be a date-time such as 2026-07-04T00:00:00Z' }
          const reports = await (user === undefined ? drills.reports(id, from) : drills.userReports(id, user, from))
          if (reports === null) return { refused: 'the application has no such user' }
          const none = 'No exercise yet. Start one with: tocsin drill start APP'
          return { json: reports, text: table(reports.flatMap(rowsOf), none) }
        }),
      ),
    )

  drill
    .command('end <app>')
    .description('end the open exercises; everyone who was alerted is told that they are over')
    .option(...ONE)
    .action(
      act((context, app: string, { user }: { readonly user?: string }) =>
        withDrills(context, app, async (drills, { id }) => {
          const ended = await drills.end(id, user ?? null, byCommand(context))
          const rows = ended.map(({ externalUserId, incidentId }) => ({ user: externalUserId, ended: incidentId }))
          return { json: { ended }, text: table(rows, 'No exercise was open.') }
        }),
      ),
    )
}

async function withDrills(
  { store, ids }: CommandContext,
  app: string,
  work: (drills: Drills, application: Application) => Promise<Answer>,
): Promise<Answer> {
  const found = await findApplication(store, app)
  if ('refused' in found) return found
  // The notice of the commit wakes the service.
  const door = { change: store.changeIncident.bind(store) }
  return work(operatorDrills({ store, door, ids }), found.application)
}

/** A line for each contact, and one for chat and webhook. */
function rowsOf(report: DrillReport) {
  const about = {
    user: report.externalUserId,
    started: report.startedAt,
    status: report.overtaken ? 'ended by a real SOS' : report.status,
  }
  const waysOf = (ways: DrillReport['integrations']) =>
    ways.map(({ channel, status, error }) => `${channel} ${status}${error === null ? '' : ` (${error})`}`).join(', ')
  const contacts = report.contacts.map(({ name, answer, afterSeconds, channels }) => ({
    ...about,
    who: name,
    answer: answer === null ? 'no answer' : `${answer} after ${afterSeconds} s`,
    ways: waysOf(channels),
  }))
  const { integrations } = report
  const operators = { ...about, who: 'chat, webhook', answer: null, ways: waysOf(integrations) }
  const rows = integrations.length === 0 ? contacts : [...contacts, operators]
  return rows.length > 0 ? rows : [{ ...about, who: 'nobody', answer: null, ways: '' }]
}

const refusals = {
  application_not_found: 'the application has just been removed',
  application_disabled: 'the application is disabled',
  user_not_found: 'the application has no such user, or the user is disabled',
  no_users: 'the application has no enabled user',
  too_many_users: 'the application has more than 100 users: name one with --user',
} as const

const reasons = {
  incident_open: 'an incident of theirs is open',
  drill_open: 'an exercise is already open',
  too_many_drills: 'the application has reached its limit of exercises for 24 hours',
  drilled_lately: 'their contacts had one within the last hour',
} as const
