import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Alarm } from '../../sdk/src/sos/alarm.ts'
import type { AlarmState } from '../../sdk/src/sos/state.ts'
import { Disk, service, standStill, startApp } from './device.ts'

async function statesOf(alarm: Alarm, into: AlarmState[]): Promise<void> {
  for await (const state of alarm) into.push(state)
}

suite('a press', () => {
  test('is kept, sent, alerts, is answered and ends', async (t) => {
    const advance = standStill(t)
    const fake = service()
    const { sos } = startApp(t, fake)
    const alarm = await sos.press({ mobileBattery: 64 })
    const states: AlarmState[] = []
    void statesOf(alarm, states)
    assert.deepEqual([alarm.state.step, alarm.state.kept], ['kept', true])
    await advance(1_000)
    fake.alertsContacts()
    await advance(1_000)
    fake.answers('Ana', 'coming', 10)
    await advance(1_000)
    await alarm.resolve()
    await advance(1_000)
    assert.deepEqual(
      states.map(({ step }) => step).filter((step, n, all) => step !== all[n - 1]),
      ['kept', 'onServer', 'alerted', 'coming', 'over'],
    )
    assert.equal(alarm.state.over, 'resolved')
    assert.deepEqual([fake.alerts.length, fake.incidents.length], [1, 1])
  })

  test('without a network is tried after 1, 2, 4 … s, and at once when the network is back', async (t) => {
    const advance = standStill(t)
    const fake = service()
    fake.isOffline = true
    const tries: number[] = []
    const asked = (path: string) => void (path === '/v1/sdk/sos' && tries.push(Date.now()))
    const { sos } = startApp(t, fake, { asked })
    const alarm = await sos.press()
    await advance(100_000)
    assert.deepEqual([alarm.state.step, alarm.state.trouble], ['kept', 'no_network'])
    const pauses = tries.slice(1).map((at, n) => (at - tries[n]!) / 1_000)
    assert.deepEqual(pauses, [1, 2, 4, 8, 16, 30, 30])
    fake.isOffline = false
    sos.wake()
    await advance(500)
    assert.deepEqual([alarm.state.step, alarm.state.trouble], ['onServer', null])
    // Where nothing tells of the network, a connection does.
    fake.isOffline = true
    const next = await sos.press()
    await advance(65_000)
    fake.isOffline = false
    sos.lineIsUp()
    await advance(500)
    assert.equal(next.state.trouble, null)
    assert.equal(fake.alerts.length, 2)
  })

  test('survives the end of the app, and goes out at the next start with the time of the press', async (t) => {
    const advance = standStill(t)
    const [fake, disk] = [service(), new Disk()]
    fake.isOffline = true
    const first = startApp(t, fake, { disk })
    const { press } = await first.sos.press({ mobileBattery: 5 })
    await advance(3_000)
    first.kill()
    await advance(60_000)
    fake.isOffline = false
    const { sos } = startApp(t, fake, { disk })
    await advance(1_000)
    const [alarm] = await sos.alarms()
    assert.equal(alarm?.state.step, 'onServer')
    assert.deepEqual(fake.alerts, [{ mobileBattery: 5, timestamp: press.alert.timestamp }])
  })

  test('of which the answer was lost becomes one incident, also through a restart', async (t) => {
    const advance = standStill(t)
    const [fake, disk] = [service(), new Disk()]
    fake.losesAnswers = true
    const first = startApp(t, fake, { disk })
    await first.sos.press()
    await advance(8_000)
    first.kill()
    fake.losesAnswers = false
    const { sos } = startApp(t, fake, { disk })
    await advance(5_000)
    const [alarm] = await sos.alarms()
    assert.deepEqual([alarm?.state.step, fake.incidents.length], ['onServer', 1])
  })

  test('goes out without storage, and says that it is not kept', async (t) => {
    const advance = standStill(t)
    const [fake, disk] = [service(), new Disk()]
    disk.isFull = true
    const { sos } = startApp(t, fake, { disk })
    const alarm = await sos.press()
    assert.equal(alarm.state.kept, false)
    await advance(500)
    assert.equal(alarm.state.step, 'onServer')
  })

  test('on a slow disk goes out before it is kept, and what happened meanwhile is kept with it', async (t) => {
    const advance = standStill(t)
    const [fake, disk] = [service(), new Disk()]
    disk.slowMs = 5_000
    const first = startApp(t, fake, { disk })
    const pressing = first.sos.press()
    await advance(2_500)
    const alarm = await pressing
    fake.alertsContacts()
    await advance(500)
    await alarm.cancel()
    fake.isOffline = true
    assert.deepEqual([alarm.state.step, alarm.state.ending, alarm.state.kept], ['alerted', 'cancel', false])
    await advance(10_000)
    assert.equal(alarm.state.kept, true)
    first.kill()
    const second = startApp(t, fake, { disk })
    await advance(500)
    const [again] = await second.sos.alarms()
    assert.deepEqual([again?.state.step, again?.state.ending], ['alerted', 'cancel'])
  })

  test('goes out whatever the app has put into it', async (t) => {
    const advance = standStill(t)
    const fake = service()
    const { sos } = startApp(t, fake)
    const circle: Record<string, unknown> = { latitude: Number.NaN }
    circle.circle = circle
    await sos.press(circle)
    await sos.press({ latitude: 10n } as never)
    await sos.press({ mobileBattery: Number.NaN, extra: () => 1 } as never)
    await advance(500)
    assert.equal(fake.alerts.length, 3)
  })

  test('that is put off waits, and is looked at again when that is over', async (t) => {
    const advance = standStill(t)
    const fake = service()
    fake.putOff = new Date(Date.now() + 900_000).toISOString()
    const { sos } = startApp(t, fake)
    const alarm = await sos.press()
    await advance(20_000)
    assert.deepEqual([alarm.state.step, alarm.state.putOff], ['onServer', fake.putOff])
    fake.putOff = null
    await advance(900_000)
    assert.deepEqual([alarm.state.putOff, alarm.state.incidentId === null], [null, false])
  })

  test('with a bad field goes out without it, at once', async (t) => {
    const advance = standStill(t)
    const fake = service()
    fake.refuses(400, {
      code: 'E_SDK_SOS_VALIDATION',
      fields: [{ field: 'longitude', message: 'must be sent together' }],
    })
    const { sos } = startApp(t, fake)
    const alarm = await sos.press({ latitude: 47, mobileBattery: 50 })
    await advance(0)
    assert.deepEqual([alarm.state.step, Object.keys(fake.alerts[0]!)], ['onServer', ['mobileBattery', 'timestamp']])
    assert.deepEqual(
      alarm.state.refused.map(({ field }) => field),
      ['longitude'],
    )
  })

  test('waits as long as the service asks', async (t) => {
    const advance = standStill(t)
    const fake = service()
    fake.refuses(503, { headers: { 'retry-after': '7' } })
    const { sos } = startApp(t, fake)
    const alarm = await sos.press()
    await advance(3_000)
    sos.lineIsUp()
    await advance(3_500)
    assert.deepEqual([alarm.state.step, alarm.state.trouble], ['kept', 'busy'])
    await advance(1_000)
    assert.equal(alarm.state.step, 'onServer')
  })

  test('in a hotel is not taken for sent', async (t) => {
    const advance = standStill(t)
    const fake = service()
    fake.isInHotel()
    const { sos } = startApp(t, fake)
    const alarm = await sos.press()
    await advance(500)
    assert.deepEqual([alarm.state.step, alarm.state.trouble], ['kept', 'not_the_service'])
    await advance(1_000)
    assert.equal(alarm.state.step, 'onServer')
  })

  test('with a refused hash asks for another one, once an attempt', async (t) => {
    const advance = standStill(t)
    const fake = service()
    const unauthorized = { code: 'E_SDK_SOS_UNAUTHORIZED' }
    for (const status of [401, 401]) fake.refuses(status, unauthorized)
    let asked = 0
    const userHash = async () => {
      asked += 1
      return `${asked}`
    }
    const { sos } = startApp(t, fake, { userHash })
    const alarm = await sos.press()
    await advance(0)
    assert.deepEqual([asked, alarm.state.trouble], [2, 'unauthorized'])
    await advance(1_500)
    assert.deepEqual([alarm.state.step, alarm.state.trouble], ['onServer', null])
  })

  test('needs no answer of the backend in time: the attempt ends, and the next one asks again', async (t) => {
    const advance = standStill(t)
    const fake = service()
    let asked = 0
    const userHash = () => {
      asked += 1
      return asked === 1 ? new Promise<string>(() => {}) : Promise.resolve('00')
    }
    const { sos } = startApp(t, fake, { userHash })
    const alarm = await sos.press()
    await advance(20_000)
    assert.equal(alarm.state.step, 'onServer')
  })
})

suite('an end', () => {
  test('of a queued press: the press never goes out, and a later one is not ended by it', async (t) => {
    const advance = standStill(t)
    const fake = service()
    fake.isOffline = true
    const { sos } = startApp(t, fake)
    const first = await sos.press()
    await advance(1_000)
    await first.cancel()
    assert.deepEqual([first.state.step, first.state.ending], ['kept', 'cancel'])
    const second = await sos.press()
    await advance(1_000)
    fake.isOffline = false
    sos.wake()
    await advance(31_000)
    assert.deepEqual([first.state.step, second.state.step], ['over', 'onServer'])
    assert.deepEqual(
      fake.alerts.map(({ timestamp }) => timestamp),
      [second.press.alert.timestamp],
    )
    assert.equal(fake.open?.status, 'active')
  })

  test('asked for again leaves open what this phone has pressed since, while it waited in the network', async (t) => {
    const advance = standStill(t)
    const fake = service()
    const { sos } = startApp(t, fake)
    const other = startApp(t, fake)
    const first = await sos.press()
    await advance(1_000)
    await other.sos.press()
    await advance(1_000)
    await first.cancel()
    await advance(1_000)
    assert.equal(first.state.pressedAgain, true)
    fake.isOffline = true
    await first.cancel()
    await advance(1_000)
    const second = await sos.press()
    await advance(1_000)
    // The press arrives first, and joins the alarm that the end was for.
    fake.refuses(503)
    fake.isOffline = false
    await advance(60_000)
    assert.equal(fake.open?.status, 'active')
    assert.equal(second.state.step, 'onServer')
    await second.cancel()
    await advance(5_000)
    assert.equal(fake.open, null)
  })

  test('of a press whose answer was lost says what has become of it: contacts were told', async (t) => {
    const advance = standStill(t)
    const fake = service()
    fake.losesAnswers = true
    const { sos } = startApp(t, fake)
    const alarm = await sos.press()
    await advance(500)
    fake.alertsContacts()
    assert.equal(alarm.state.step, 'kept')
    await alarm.cancel()
    fake.losesAnswers = false
    await advance(2_500)
    assert.deepEqual(
      [alarm.state.over, alarm.state.contacts.map(({ status }) => status)],
      ['cancelled', ['sent', 'sent']],
    )
    assert.notEqual(alarm.state.onServerAt, null)
  })

  test('of a queued press that arrives after a later press leaves that open', async (t) => {
    const advance = standStill(t)
    const fake = service()
    fake.isOffline = true
    const { sos } = startApp(t, fake)
    const first = await sos.press()
    await advance(1_000)
    await first.cancel()
    await advance(14_000)
    const second = await sos.press()
    fake.isOffline = false
    await advance(1_500)
    assert.deepEqual([first.state.ending, second.state.step], ['cancel', 'onServer'])
    await advance(31_000)
    assert.deepEqual([first.state.step, second.state.step], ['over', 'onServer'])
    assert.equal(fake.open?.occurredAt, second.press.alert.timestamp)
    assert.equal(fake.incidents.length, 1)
  })

  test('survives the end of the app', async (t) => {
    const advance = standStill(t)
    const [fake, disk] = [service(), new Disk()]
    const first = startApp(t, fake, { disk })
    const pressed = await first.sos.press()
    await advance(1_000)
    fake.isOffline = true
    await pressed.cancel()
    await advance(1_000)
    first.kill()
    fake.isOffline = false
    const { sos } = startApp(t, fake, { disk })
    await advance(1_000)
    const [alarm] = await sos.alarms()
    assert.deepEqual(
      [alarm?.state.step, alarm?.state.over, fake.incidents[0]?.status],
      ['over', 'cancelled', 'cancelled'],
    )
  })

  test('leaves an alarm open that another phone has pressed again; asked again, it ends that', async (t) => {
    const advance = standStill(t)
    const fake = service()
    fake.losesAnswers = true
    const app = startApp(t, fake)
    const alarm = await app.sos.press()
    await advance(500)
    fake.isOffline = true
    await alarm.cancel()
    await advance(500)
    fake.isOffline = false
    fake.losesAnswers = false
    const tracker = startApp(t, fake)
    await tracker.sos.press({ deviceId: 'GW-1' })
    await advance(31_000)
    assert.deepEqual([alarm.state.step, alarm.state.pressedAgain, alarm.state.ending], ['onServer', true, null])
    await alarm.cancel()
    await advance(500)
    assert.deepEqual([alarm.state.step, fake.open], ['over', null])
  })
})

suite('two devices, two tabs', () => {
  test('another device of the user shows the alarm, sends no position by itself, and can end it', async (t) => {
    const advance = standStill(t)
    const fake = service()
    const pressing = startApp(t, fake)
    const locate = async () => ({ latitude: 1, longitude: 1 })
    const other = startApp(t, fake, { locate })
    let calls = 0
    other.sos.watch(() => {
      calls += 1
    })
    await advance(500)
    const own = await pressing.sos.press()
    await advance(1_000)
    assert.ok(calls > 0)
    const shown = await other.sos.current()
    assert.deepEqual([shown?.own, shown?.state.incidentId], [false, own.state.incidentId])
    await advance(30_000)
    assert.equal(fake.positions.length, 0)
    shown!.sendPositions()
    await advance(500)
    assert.equal(fake.positions.length, 1)
    await shown!.cancel()
    await advance(1_000)
    assert.deepEqual([own.state.over, shown!.state.over], ['cancelled', 'cancelled'])
    await advance(60_000)
    assert.equal(fake.positions.length, 1)
  })

  test('of two tabs one sends, and both show it; when it closes, the other goes on', async (t) => {
    const advance = standStill(t)
    const [fake, disk] = [service(), new Disk()]
    const [first, second] = [startApp(t, fake, { disk }), startApp(t, fake, { disk })]
    await advance(500)
    const alarm = await second.sos.press()
    await advance(2_500)
    assert.deepEqual([fake.alerts.length, alarm.state.step], [1, 'onServer'])
    const [shown] = await first.sos.alarms()
    assert.equal(shown?.state.incidentId, alarm.state.incidentId)
    first.kill()
    await advance(1_000)
    fake.answers('Ana', 'calling')
    await advance(1_000)
    assert.deepEqual([alarm.state.step, alarm.state.helpers[0]?.answer], ['coming', 'calling'])
  })

  test('a press of another process, which says nothing, is sent within a second', async (t) => {
    const advance = standStill(t)
    const [fake, disk] = [service(), new Disk()]
    const { sos } = startApp(t, fake, { disk })
    await advance(500)
    const { appId, userId } = fake.options
    const alert = { timestamp: new Date().toISOString() }
    await disk.shelf().put('press.1', { id: '1', of: `${appId} ${userId}`, alert, keptAt: Date.now() })
    await advance(1_500)
    const [alarm] = await sos.alarms()
    assert.deepEqual([alarm?.state.step, fake.alerts], ['onServer', [alert]])
  })

  test('a tab whose sender hangs sends by itself', async (t) => {
    const advance = standStill(t)
    const [fake, disk] = [service(), new Disk()]
    disk.shelf().lead('', new AbortController().signal, () => {})
    const { sos } = startApp(t, fake, { disk })
    const alarm = await sos.press()
    await advance(5_000)
    assert.equal(alarm.state.step, 'kept')
    await advance(6_000)
    assert.equal(alarm.state.step, 'onServer')
  })
})

suite('positions', () => {
  test('that an app gives without a promise, or fails to give, end no press', async (t) => {
    const advance = standStill(t)
    const fake = service()
    const battery = () => {
      throw new Error('no battery')
    }
    const { sos } = startApp(t, fake, { locate: () => ({ latitude: 47, longitude: 12 }), battery })
    const alarm = await sos.press()
    await advance(500)
    assert.deepEqual([alarm.state.step, fake.positions.length], ['onServer', 1])
  })

  test('go out at once and each 15 s, each minute with little battery, and end with the alarm', async (t) => {
    const advance = standStill(t)
    const fake = service()
    let percent = 80
    const parts = { locate: async () => ({ latitude: 47, longitude: 12 }), battery: async () => percent }
    const { sos } = startApp(t, fake, parts)
    const alarm = await sos.press()
    await advance(500)
    assert.deepEqual([fake.positions.length, fake.positions[0]?.mobileBattery], [1, 80])
    await advance(30_000)
    assert.equal(fake.positions.length, 3)
    percent = 19
    await advance(15_000)
    assert.equal(fake.positions.length, 4)
    await advance(59_000)
    assert.equal(fake.positions.length, 4)
    await alarm.cancel()
    await advance(120_000)
    assert.equal(fake.positions.length, 4)
    assert.equal(fake.alerts.length, 1)
  })

  test('of a time without a network follow', async (t) => {
    const advance = standStill(t)
    const fake = service()
    const { sos } = startApp(t, fake, { locate: async () => ({ latitude: 47, longitude: 12 }) })
    await sos.press()
    await advance(500)
    fake.isOffline = true
    await advance(60_000)
    fake.isOffline = false
    await advance(15_000)
    assert.equal(new Set(fake.positions.map(({ timestamp }) => timestamp)).size, 6)
  })
})

suite('what is heard', () => {
  test('an alarm that ended while nothing was heard is over, and how is in the history', async (t) => {
    const advance = standStill(t)
    const fake = service()
    const { sos } = startApp(t, fake)
    const alarm = await sos.press()
    await advance(1_000)
    fake.hangsUp()
    fake.closes()
    await advance(3_000)
    assert.deepEqual([alarm.state.step, alarm.state.over], ['over', 'resolved'])
  })

  for (const [slowToReadMs, takesMs] of [
    [500, 1_500],
    [5_000, 6_000],
  ] as const) {
    test(`news that come before a disk is read, after ${slowToReadMs} ms, are of the alarms that are kept there`, async (t) => {
      const advance = standStill(t)
      const [fake, disk] = [service(), new Disk()]
      const first = startApp(t, fake, { disk })
      await first.sos.press()
      await advance(1_000)
      first.kill()
      fake.answers('Ana', 'coming', 10)
      disk.slowToReadMs = slowToReadMs
      const opens = async () => {
        const app = startApp(t, fake, { disk })
        app.sos.watch(() => {})
        await advance(takesMs)
        const [alarm] = await app.sos.alarms()
        return { ...app, state: alarm?.state }
      }
      const second = await opens()
      assert.deepEqual([second.state?.step, second.state?.helpers[0]?.name], ['coming', 'Ana'])
      second.kill()
      fake.closes()
      assert.equal((await opens()).state?.over, 'resolved')
    })
  }

  test('a service without a stream is asked each 5 s', async (t) => {
    const advance = standStill(t)
    const fake = service()
    const { sos } = startApp(t, fake)
    fake.hasStream = false
    const alarm = await sos.press()
    await advance(500)
    fake.takes('Desk')
    await advance(4_000)
    assert.equal(alarm.state.step, 'onServer')
    await advance(2_000)
    assert.deepEqual(
      alarm.state.helpers.map(({ kind, name }) => [kind, name]),
      [['operator', 'Desk']],
    )
  })

  test('what ended a day ago is forgotten', async (t) => {
    const advance = standStill(t)
    const [fake, disk] = [service(), new Disk()]
    const first = startApp(t, fake, { disk })
    const alarm = await first.sos.press()
    await advance(500)
    await alarm.cancel()
    await advance(500)
    first.kill()
    t.mock.timers.tick(23 * 3_600_000)
    const second = startApp(t, fake, { disk })
    await advance(500)
    assert.equal((await second.sos.alarms()).length, 1)
    second.kill()
    t.mock.timers.tick(2 * 3_600_000)
    const third = startApp(t, fake, { disk })
    await advance(500)
    assert.deepEqual([(await third.sos.alarms()).length, disk.kept.size], [0, 0])
  })
})
