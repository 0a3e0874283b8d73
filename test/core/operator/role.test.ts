import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actions, asksAgain, type Grant, mayDo, roles } from '../../../src/core/operator/role.ts'

const all = (role: Grant['role']): Grant => ({ role, applications: null })
const of = (role: Grant['role'], ...applications: readonly string[]): Grant => ({ role, applications })

test('what each role may do for all applications', () => {
  const may = Object.fromEntries(
    roles.map((role) => [role, actions.filter((action) => mayDo(all(role), action, null))]),
  )
  assert.deepEqual(may.viewer, [
    'incident.view',
    'shift.view',
    'on_call.view',
    'drill.view',
    'application.view',
    'user.view',
    'timer.view',
    'device.view',
    'health.view',
    'node.view',
  ])
  const operators = may.operator!.filter((action) => !may.viewer!.includes(action))
  assert.deepEqual(operators, [
    'incident.export',
    'incident.seen',
    'incident.major',
    'incident.take',
    'incident.untake',
    'incident.take_over',
    'incident.resolve',
    'incident.resume',
    'incident.resend',
    'incident.alarm_now',
    'incident.show_position',
    'incident.card',
    'incident.note',
    'incident.message',
    'incident.called_back',
    'shift.hand_over',
    'shift.accept',
    'shift.decline',
    'shift.withdraw',
    'shift.note',
    'shift.confirm',
    'on_call.take',
    'drill.start',
    'drill.end',
    'actuator.test',
    'app.invite_end',
    'contact.verify',
    'timer.set',
    'timer.change',
    'mail.view',
    'feedback.view',
    'backup.view',
  ])
  assert.deepEqual(may.admin, actions)
})

test('a grant for some applications reaches those and nothing of the site', () => {
  const grant = of('admin', 'a', 'b')
  assert.equal(mayDo(grant, 'incident.take', 'a'), true)
  assert.equal(mayDo(grant, 'incident.take', 'c'), false)
  assert.equal(mayDo(grant, 'incident.view', null), true, 'a list, of which the grant decides what is shown')
  const ofSite = actions.filter((action) => !mayDo(grant, action, null))
  assert.deepEqual(ofSite, [
    'on_call.change',
    'application.create',
    'incident.simulate',
    'node.view',
    'node.drain',
    'clock.accept',
    'backup.view',
    'doctor.view',
    'setup.view',
    'setup.change',
    'setup.test',
    'operator.manage',
    'token.manage',
    'audit.view',
  ])
  for (const action of ofSite) assert.equal(mayDo(grant, action, 'a'), false)
  assert.equal(mayDo(of('admin'), 'incident.view', 'a'), false, 'a grant for no application')
})

test('what gives lasting access, or can silence or redirect somebody, asks who sits there', () => {
  assert.deepEqual(actions.filter(asksAgain), [
    'on_call.change',
    'application.change',
    'application.secret',
    'application.create',
    'actuator.change',
    'user.change',
    'app.invite',
    'timer.change',
    'device.change',
    'node.drain',
    'clock.accept',
    'setup.change',
    'setup.test',
    'operator.manage',
    'token.manage',
  ])
  assert.deepEqual([asksAgain('own'), asksAgain('own.recovery_codes')], [false, true])
})
