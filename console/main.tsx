import { render } from 'preact'
import { App } from './app.tsx'
import './style/console.css'

render(<App />, document.querySelector('#console')!)
