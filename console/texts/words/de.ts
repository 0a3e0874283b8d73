import type { WordTexts } from './en.ts'

export const words: WordTexts = {
  purposes: {
    reopened: 'erneuter Alarm',
    acknowledged: 'jemand hat geantwortet',
    unanswered: 'niemand hat geantwortet',
    check_in: 'Rückfrage',
    tell_others: 'jemand hilft',
    last_call: 'letzter Aufruf',
    contacts_changed: 'Kontakte wurden geändert',
    account_changed: 'Name, Nummer oder Geräte wurden geändert',
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
    'login refused': 'Anmeldung abgelehnt',
    'no encryption offered': 'Verschlüsselung nicht angeboten',
    'invalid address': 'ungültige Adresse',
    busy: 'besetzt',
    'no-answer': 'nicht abgehoben',
    canceled: 'abgebrochen',
    'provider error': 'Fehler beim Anbieter',
    'provider error 21610': 'dieses Telefon hat uns gesperrt: Es muss START senden',
    'provider busy': 'Anbieter überlastet',
    'no provider for texts': 'kein Anbieter für SMS',
    'no provider for calls': 'kein Anbieter für Anrufe',
    'unconfirmed abroad': 'nicht angerufen: Nummer im Ausland, nicht bestätigt',
    'too many mails': 'zu viele Mails an diese Adresse',
    'no provider for mails': 'kein Mailserver',
    'outbox not writable': 'Postausgang nicht beschreibbar',
    'modem timeout': 'Modem antwortet nicht',
    'modem down': 'Modem nicht bereit',
    'modem error': 'Fehler des Modems',
    'spool missing': 'Spool-Verzeichnis fehlt',
    'spool not writable': 'Spool-Verzeichnis nicht beschreibbar',
    'spool full': 'Spool-Verzeichnis voll',
  },
  upstream: (status) => `Gegenstelle antwortet mit HTTP ${status}`,
  upstreamMail: (status) => `Mailserver antwortet mit ${status}`,
  remarks: {
    heardBy: (gateway) => `kein GPS-Standort; empfangen vom Gateway ${gateway}`,
    earlierFix: (time) => `Standort von ${time}, nicht vom Moment des Drückens`,
  },
  wordRefusals: {
    taken_by_another: 'Jemand war schneller und hat diesen Alarm übernommen.',
    not_taken: 'Niemand hat diesen Alarm mehr. Bitte übernehmen.',
    on_call_changed: 'Der Bereitschaftsplan wurde inzwischen geändert. Laden Sie ihn neu.',
    override_invalid:
      'Der Beginn muss vor dem Ende liegen, das Ende in der Zukunft, höchstens 62 Tage (bei eigenen: 7).',
    too_many_overrides: 'Es gibt schon 100 Ausnahmen. Entferne zuerst einige.',
    not_on_shift: 'Übergeben lässt sich nur an jemanden, der angemeldet ist und für dieselbe Anwendung arbeitet.',
    offer_over:
      'Dieses Angebot gilt nicht mehr: Es wurde beantwortet, zurückgezogen oder nicht rechtzeitig angenommen.',
    shift_note_not_found: 'Diese Notiz wurde inzwischen bestätigt oder geändert.',
    undo_too_late:
      'Die Übernahme ist mehr als eine Minute her. Wenn niemand hilft, senden Sie den Alarm erneut an die Kontakte.',
    incident_closed: 'Jemand war schneller: Dieser Alarm ist schon beendet.',
    incident_open: 'Ein Alarm dieser Person ist noch offen. Beenden Sie ihn zuerst.',
    not_put_off: 'Von diesem Alarm ist nichts mehr aufgeschoben. Sehen Sie unter „Lage“ nach.',
    incident_held:
      'Dieser Alarm stammt aus einer wiederhergestellten Sicherung, und für ihn wird nichts gesendet. Setzen Sie ihn zuerst fort.',
    contact_stopped:
      'Dieser Kontakt erhält keine Nachrichten mehr: Er hat sie abbestellt oder kennt die Person nicht. Rufen Sie jemand anderen an.',
    note_limit: 'Dieser Alarm hat schon so viele Notizen wie möglich.',
    no_talk:
      'Diesen Alarm haben nur andere Personen ausgelöst, die den Dienst nutzen. Die betroffene Person weiß vielleicht nichts davon: Schreiben ist nicht möglich.',
    too_many_messages:
      'Alle zusammen können höchstens 60 Nachrichten pro Stunde schreiben. Warten Sie, oder rufen Sie an.',
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
  },
}
