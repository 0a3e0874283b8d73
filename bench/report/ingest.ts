import { MOSQUITTO } from '../contenders/contender.ts'
import type { IngestFigures, Rate } from '../measurements/ingest.ts'
import { aims } from '../plan.ts'
import { known, micros, percent, table, whole } from './text.ts'
import { threadText } from './threads.ts'

export function formatIngest(ingest: readonly IngestFigures[]): string[] {
  return ingest.flatMap(({ connections, inFlight, rates, ratios, cpuRatios }) => [
    '',
    `Telemetry ingest, QoS 1, MQTT 3.1.1: ${connections} connections × ${inFlight} in flight, median of ${rates[0]!.runs.length} runs`,
    ...table([['', 'PUBACK/s', 'lowest', 'highest', 'CPU/message', 'generator', 'others', ''], ...rates.map(rateLine)]),
    ...rates
      .filter(({ threadMicros }) => threadMicros !== null)
      .map(({ name, threadMicros }) => `  CPU/message of ${name} by thread: ${threadText(threadMicros)}`),
    ...Object.entries(ratios).map(([peer, ratio]) => {
      const aim = peer === MOSQUITTO ? aims.ingest[inFlight] : undefined
      const rate = `${ratio.toFixed(2)} of the rate${aimText(aim?.rate)}`
      const cpu = known(cpuRatios[peer], (more) => `, ${more.toFixed(2)} times the CPU/message${aimText(aim?.cpu)}`)
      return `  Tocsin / ${peer}: ${rate}${cpu}`
    }),
  ])
}

const aimText = (aim: number | undefined): string => (aim === undefined ? '' : ` (aim: ${aim})`)

const rateLine = ({ name, note, runs, median, cpuMicros, generatorLoad, othersLoad }: Rate): string[] => [
  name,
  whole(median),
  whole(Math.min(...runs)),
  whole(Math.max(...runs)),
  known(cpuMicros?.median, micros),
  percent(generatorLoad),
  known(othersLoad, percent),
  note,
]
