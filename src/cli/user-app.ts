import type { Command } from 'commander'
import {
  appDeviceView,
  endInvitation,
  type Inviting,
  invitationView,
  inviteToApp,
  removeDeviceNow,
  setInvitedDisabled,
} from '../app/operator/app-invitations.ts'
import { wholeNumber } from '../config/fields.ts'
import { isLocalOnly } from '../config/public-address.ts'
import { joinLink, MAX_PLACES } from '../core/account/app-invitation.ts'
import type { Application } from '../core/account/application.ts'
import { nameField } from '../core/account/profile-schema.ts'
import { type Answer, record, table } from './answer.ts'
import { type Act, byCommand, type CommandContext, findApplication } from './command-context.ts'
import { parsed } from './parsed.ts'
import { qrText } from './qr.ts'

/** Invitations that are listed, the newest first. */
const MAX_LISTED = 500

type InviteOptions = {
  readonly poster: boolean
  readonly places?: number
  readonly device: boolean
  readonly label?: string
}

/** `tocsin user invite`, `invitations` and `devices`: the app in the box. app.md. */
export function addUserAppCommands(user: Command, act: Act): void {
  user
    .command('invite <app> [external-id]')
    .description('invite somebody to the app, with a QR code to scan')
    .option('--poster', 'a code to print, for as many new users as it has places', false)
    .option('--places <number>', 'places of a poster', parsed(wholeNumber(1, MAX_PLACES)))
    .option('--device', 'a further device of the user with this external id', false)
    .option('--label <text>', 'a word for yourself, such as where the poster hangs', parsed(nameField))
    .action(
      act((context, appId: string, externalUserId: string | undefined, options: InviteOptions) =>
        invite(context, appId, { ...options, externalUserId: externalUserId ?? null }),
      ),
    )

  user
    .command('invitations <app>')
    .description('list the invitations of an application, end one, or disable everyone who joined by it')
    .option('--end <id>', 'end this invitation: nobody can use it any more')
    .option('--disable-users <id>', 'end it, and disable everyone who joined by it: says how many; acts with --yes')
    .option('--enable-users <id>', 'admit everyone who joined by it again; acts with --yes')
    .option('--yes', 'after you have read how many it concerns', false)
    .action(act((context, appId: string, options: InvitationOptions) => invitations(context, appId, options)))

  user
    .command('devices <app> <external-id>')
    .description('list the devices on which a user has the app, or remove one')
    .option('--remove <id>', 'remove this device at once: it is signed out')
    .action(
      act((context, appId: string, externalUserId: string, { remove }: { readonly remove?: string }) =>
        devices(context, appId, { externalUserId, remove: remove ?? null }),
      ),
    )
}

const refusals = {
  app_off:
    'the app of this application is off, or the application or the user is disabled; switch it on with: tocsin app update APP --web-app on',
  invitation_limit: 'too many invitations can be used already; end some with: tocsin user invitations APP --end ID',
  app_invitation_not_found: 'the application has no such invitation; list them with: tocsin user invitations APP',
  app_device_not_found: 'the user has no such device; list them with: tocsin user devices APP EXTERNAL_ID',
  user_not_found: 'the application has no such user; list them with: tocsin user list APP',
} as const

/** The invitation that the options describe, or why they describe none. */
async function invitingOf(
  { store }: CommandContext,
  { id: appId }: Application,
  { poster, places, device, label: given, externalUserId }: InviteOptions & { readonly externalUserId: string | null },
): Promise<Inviting | { readonly refused: string }> {
  const label = given ?? null
  if (poster && device) return { refused: 'a poster is for new users: leave --poster or --device out' }
  if (poster !== (places !== undefined)) return { refused: 'a poster needs --poster and --places NUMBER' }
  if (device !== (externalUserId !== null)) {
    return { refused: 'a further device needs --device and the external id of its user; a new user needs neither' }
  }
  if (externalUserId === null) {
    return { appId, kind: poster ? 'poster' : 'person', user: null, places: places ?? 1, label }
  }
  const user = await store.userByExternalId(appId, externalUserId)
  return user === null ? { refused: refusals.user_not_found } : { appId, kind: 'device', user, places: 1, label }
}

async function invite(
  context: CommandContext,
  app: string,
  options: InviteOptions & { readonly externalUserId: string | null },
): Promise<Answer> {
  const found = await findApplication(context.store, app)
  if ('refused' in found) return found
  const inviting = await invitingOf(context, found.application, options)
  if ('refused' in inviting) return inviting
  const made = await inviteToApp(context, inviting, byCommand(context))
  if ('refused' in made) return { refused: refusals[made.refused] }
  const { publicUrl: configured, http } = context.config
  const publicUrl = configured ?? `http://localhost:${http.port}`
  const link = joinLink(publicUrl, made.secret)
  const view = invitationView(made.invitation, context.now)
  return {
    json: { ...view, link },
    text: [
      record({ id: view.id, kind: view.kind, places: view.places, expiresAt: view.expiresAt }),
      'The link is shown only once. Anyone who has it can use it.',
      link,
      qrText(link),
    ].join('\n\n'),
    ...(isLocalOnly(publicUrl) && {
      warnings: [`no phone can open ${publicUrl}: set publicUrl to the address of this site`],
    }),
  }
}

async function list({ store, now }: CommandContext, app: string): Promise<Answer> {
  const found = await findApplication(store, app)
  if ('refused' in found) return found
  const views = (await store.appInvitations(found.application.id, MAX_LISTED)).map((one) => invitationView(one, now))
  const rows = views.map(({ userId: _, createdBy: __, createdAt: ___, endedAt: ____, ...row }) => row)
  return { json: views, text: table(rows, 'No invitations yet. Make one with: tocsin user invite APP') }
}

type InvitationOptions = {
  readonly end?: string
  readonly disableUsers?: string
  readonly enableUsers?: string
  readonly yes: boolean
}

async function invitations(
  context: CommandContext,
  app: string,
  { end, disableUsers, enableUsers, yes }: InvitationOptions,
): Promise<Answer> {
  const given = [end, disableUsers, enableUsers].filter((one) => one !== undefined)
  if (given.length > 1) return { refused: 'name one of --end, --disable-users and --enable-users' }
  if (end !== undefined) return endOne(context, app, end)
  const id = disableUsers ?? enableUsers
  return id === undefined
    ? list(context, app)
    : setUsers(context, app, { id, disabled: disableUsers !== undefined, yes })
}

async function setUsers(
  context: CommandContext,
  app: string,
  { id, disabled, yes }: { readonly id: string; readonly disabled: boolean; readonly yes: boolean },
): Promise<Answer> {
  const { store } = context
  const found = await findApplication(store, app)
  if ('refused' in found) return found
  const one = { appId: found.application.id, id: id.toLowerCase() }
  if (yes) {
    const done = await setInvitedDisabled(context, one, disabled, byCommand(context))
    if ('refused' in done) return { refused: refusals[done.refused] }
    const stays =
      disabled && done.inAlarm > 0 ? ['Users with an open alarm stay enabled: repeat this once it is over.'] : []
    return { json: done, text: [record(done), ...stays].join('\n\n') }
  }
  const counted = await store.invitedUsers(one.appId, one.id)
  if (counted === null) return { refused: refusals.app_invitation_not_found }
  const { users, enabled, inAlarm } = counted
  const concerned = disabled ? enabled - inAlarm : users - enabled
  const what = `Nothing has changed. With --yes, ${concerned} of ${users} users are ${disabled ? 'disabled: they can raise no alarm' : 'admitted again'}.`
  return { json: counted, text: `${record(counted)}\n\n${what}` }
}

async function endOne(context: CommandContext, app: string, id: string): Promise<Answer> {
  const found = await findApplication(context.store, app)
  if ('refused' in found) return found
  const ended = await endInvitation(context, { appId: found.application.id, id }, byCommand(context))
  if ('refused' in ended) return { refused: refusals[ended.refused] }
  const view = invitationView(ended, context.now)
  return { json: view, text: record(view) }
}

async function devices(
  context: CommandContext,
  app: string,
  { externalUserId, remove }: { readonly externalUserId: string; readonly remove: string | null },
): Promise<Answer> {
  const { store } = context
  const found = await findApplication(store, app)
  if ('refused' in found) return found
  const user = await store.userByExternalId(found.application.id, externalUserId)
  if (user === null) return { refused: refusals.user_not_found }
  if (remove !== null) {
    const removed = await removeDeviceNow(context, user, remove, byCommand(context))
    if ('refused' in removed) return { refused: refusals[removed.refused] }
  }
  const views = (await store.appDevices(user.id)).map(appDeviceView)
  return { json: views, text: table(views, 'No device with the app.') }
}
