import type { WordTexts } from './en.ts'

export const words: WordTexts = {
  purposes: {
    reopened: 'erneuter Alarm',
    acknowledged: 'jemand hat geantwortet',
    unanswered: 'niemand hat geantwortet',
    check_in: 'Rückfrage',
    last_call: 'letzter Aufruf',
    all_clear: 'wie es ausgegangen ist',
  },
  failures: {
    'rate limited (HTTP 429)': 'vom Anbieter gedrosselt (HTTP 429)',
    'connection timeout': 'Zeitüberschreitung',
    'connection refused': 'Verbindung abgelehnt',
    'connection reset': 'Verbindung abgebrochen',
    'connection failed': 'Verbindung fehlgeschlagen',
    'network unreachable': 'Netz nicht erreichbar',
    'name not found': 'Servername nicht gefunden',
    'certificate not accepted': 'Zertifikat nicht anerkannt',
    'blocked address': 'Adresse nicht erlaubt',
    'invalid number': 'ungültige Nummer',
    busy: 'besetzt',
    'no-answer': 'nicht abgehoben',
    canceled: 'abgebrochen',
    'provider error': 'Fehler beim Anbieter',
    'provider busy': 'Anbieter überlastet',
    'no provider for texts': 'kein Anbieter für SMS',
    'no provider for calls': 'kein Anbieter für Anrufe',
    'outbox not writable': 'Postausgang nicht beschreibbar',
    'modem timeout': 'Modem antwortet nicht',
    'modem down': 'Modem nicht bereit',
    'modem error': 'Fehler des Modems',
    'spool missing': 'Spool-Verzeichnis fehlt',
    'spool not writable': 'Spool-Verzeichnis nicht beschreibbar',
    'spool full': 'Spool-Verzeichnis voll',
  },
  upstream: (status) => `Gegenstelle antwortet mit HTTP ${status}`,
  remarks: {
    heardBy: (gateway) => `kein GPS-Standort; empfangen vom Gateway ${gateway}`,
    earlierFix: (time) => `Standort von ${time}, nicht vom Moment des Drückens`,
  },
  wordRefusals: {
    taken_by_another: 'Jemand war schneller und hat diesen Alarm übernommen.',
    undo_too_late:
      'Die Übernahme ist mehr als eine Minute her. Wenn niemand hilft, senden Sie den Alarm erneut an die Kontakte.',
    incident_closed: 'Jemand war schneller: Dieser Alarm ist schon beendet.',
    incident_open: 'Ein Alarm dieser Person ist noch offen. Beenden Sie ihn zuerst.',
    incident_held:
      'Dieser Alarm stammt aus einer wiederhergestellten Sicherung, und für ihn wird nichts gesendet. Setzen Sie ihn zuerst fort.',
    note_limit: 'Dieser Alarm hat schon so viele Notizen wie möglich.',
    timer_over:
      'Der Timer ist schon beendet, oder er ist abgelaufen und hat ein SOS ausgelöst. Beenden Sie dann das SOS.',
    timer_limit: 'Für diese Person laufen schon so viele Timer wie möglich. Beenden Sie zuerst einen.',
    token_limit: 'Es gibt zu viele Tokens. Widerrufen Sie zuerst eines.',
    all_clear_pending:
      'Die Kontakte erfahren gerade noch, dass der letzte Alarm beendet ist. Versuchen Sie es in ein paar Minuten noch einmal.',
    simulation_changed:
      'Die Anwendung Simulation wurde geändert und könnte jemanden benachrichtigen. Machen Sie das zuerst rückgängig.',
    text_is_built_in: 'Das ist schon der eingebaute Text.',
    no_target: 'Die Anwendung hat für diesen Weg keine Adresse. Richten Sie ihn zuerst ein.',
    url_missing: 'Geben Sie die Adresse an, an die gesendet wird.',
    dev_eui_registered: 'Diese DevEUI ist schon in anderer Schreibweise registriert. Verwenden Sie diese.',
  },
}
