import { Bell, Phone, Radio, Siren } from 'lucide'
import { render } from 'preact'
import { Empty, Field, Form, Panel, Problem, Select } from '../../../console/parts/controls.tsx'
import { CopyMenu } from '../../../console/parts/copy-menu.tsx'
import { Icon } from '../../../console/parts/icon.tsx'
import { Table } from '../../../console/parts/listing.tsx'
import { Mark } from '../../../console/parts/mark.tsx'
import { Badge, lookOf, Tags } from '../../../console/parts/urgency.tsx'
import { loadTexts } from '../../../console/state/language.ts'
import { itemOf } from '../../console/items.ts'

/** Every building block of the console on one page, for `blocks.ts`. No part of an installation. */

const now = Date.now()
const items = ([0, 1, 2, 3, 4, 5] as const).map((urgency) => itemOf(urgency + 1, now, { urgency, new: urgency === 0 }))
const nothing = (): void => {}

const Blocks = () => (
  <main>
    <h1>
      Building blocks <small>Ägidius Kovačić, Łukasz, 0123456789</small>
    </h1>
    <div class="columns">
      <Panel title="Text">
        <p>
          Text, and <a href="#names">a link to names</a>, and <code>code</code>.
        </p>
        <p class="quiet">Beside the text.</p>
        <p>
          <small>Small print.</small>
        </p>
        <p class="good">It is saved.</p>
        <p class="late">Two hours late</p>
        <p class="age">
          0:59 <br /> 1:11
        </p>
        <Empty>None.</Empty>
        <Problem text="The number is not one." />
        <p class="secret">
          Shown once: <code>tocsin_0123</code>
        </p>
        <p class="preview">Mia needs help.</p>
      </Panel>
      <Panel title="Buttons">
        <div class="actions">
          <button type="button" class="main">
            I’ll take it
          </button>
          <button type="button">End the alarm</button>
          <button type="button" disabled>
            Not now
          </button>
          <button type="button" class="small">
            Send again
          </button>
          <button type="button" class="link">
            As a link
          </button>
          <button type="button" class="armed">
            Sound on
          </button>
          <button type="button" class="unarmed">
            Sound off
          </button>
          <CopyMenu forms={['47.26921, 11.40404', '32T PT 81844 37884']} of="Position" />
        </div>
        <a class="call" href="tel:+436601234567">
          <span>
            <Icon of={Phone} /> Call
          </span>
          <strong>+436601234567</strong>
        </a>
      </Panel>
      <Panel title="Form">
        <Form onSend={nothing}>
          <Field label="Name" value="Night desk" hint="Who answers at night." />
          <Field label="Phone" type="tel" value="+43" error="It has no number." />
          <Select label="Language" value="en" options={[['en', 'English']]} onPick={nothing} />
          <label class="field">
            <span>Note</span>
            <textarea rows={2} />
          </label>
          <label class="check">
            <input type="checkbox" checked /> Call contacts
          </label>
          <button type="submit" class="main">
            Save
          </button>
        </Form>
      </Panel>
      <Panel title="States">
        <ul>
          {items.map((item) => (
            <li key={item.incidentId} class={lookOf(item)}>
              <Badge item={item} /> <Tags item={item} />
            </li>
          ))}
        </ul>
        <p>
          <span class="tag drill">EXERCISE</span> <strong class="tag late">late</strong> <span class="count">12</span>
        </p>
        <p>
          <Icon of={Siren} /> <Icon of={Bell} /> <Icon of={Radio} />
        </p>
        <span class="mark">
          <Mark />
          <span class="count urgent">4</span>
        </span>
      </Panel>
    </div>
    <div class="banners">
      <p class="banner bad now">
        <span>No connection for 12 s: this screen shows no new alarms.</span>
      </p>
      <p class="banner bad">
        <span>No message leaves this machine: nobody is alerted.</span>
      </p>
      <p class="banner warn">
        <span>The server’s clock may be wrong.</span>
      </p>
      <p class="banner drill">
        <span>EXERCISE under way.</span>
      </p>
      <button type="button" class="pill bad">
        Nobody is alerted
      </button>
      <button type="button" class="pill warn">
        Server’s clock
      </button>
      <button type="button" class="pill drill">
        EXERCISE under way
      </button>
    </div>
    <Table
      label="People"
      items={[{ id: 'mia' }, { id: 'jonas' }]}
      columns={[
        ['Name', ({ id }) => <a href={`#${id}`}>{id}</a>],
        ['Phone', () => '+436601234567'],
        [
          'Actions',
          ({ id }) => (
            <button type="button" class="small" aria-label={`Remove ${id}`}>
              Remove
            </button>
          ),
        ],
      ]}
    />
    <div class="cards">
      <a class="card" href="#card">
        <strong>Alpine Rescue App</strong>
        <small>25 people</small>
      </a>
    </div>
  </main>
)

void loadTexts().then(() => render(<Blocks />, document.querySelector('#console')!))
