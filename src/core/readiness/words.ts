// One file: a table, which is easier to translate as a whole.

import type { Language } from '../text/phrases.ts'
import type { FindingCode } from './findings.ts'

/** The problem, and its remedy. */
type Words = readonly [what: string, remedy: string]

/** Replaces the name in a finding about the person's own number. */
export const yourProfile: Readonly<Record<Language, string>> = {
  en: 'Your profile',
  de: 'Ihr Profil',
  fr: 'Votre profil',
  it: 'Il suo profilo',
  es: 'Su perfil',
}

/**
 * The words by language; the console has the same. `{name}`: of the contact. `{days}`: the number of days since;
 * `{ago}`: the same in words. `{on}`: the day.
 */
export const readinessWords: Readonly<Record<Language, Readonly<Record<FindingCode, Words>>>> = {
  en: {
    service_down: ['The alarm service is not working at the moment.', 'In an emergency, call the emergency services.'],
    messages_stay_here: [
      'No message leaves the service: no provider for SMS and calls is set up.',
      'Tell the operator. In an emergency, call the emergency services.',
    ],
    mail_only: [
      'An alarm leaves by e-mail only, which wakes nobody: no provider for SMS and calls is set up.',
      'Tell the operator. In an emergency, call the emergency services.',
    ],
    provider_failing: [
      'No provider accepted the last messages.',
      'Tell the operator. In an emergency, also call the emergency services.',
    ],
    modem_down: [
      "No SMS leaves through the service's own modem at the moment.",
      'Tell the operator. In an emergency, also call the emergency services.',
    ],
    modem_slow: [
      "SMS may arrive late: the service's own modem has a weak signal or a long queue.",
      'Tell the operator.',
    ],
    disabled: ['SOS is switched off for this account.', 'Contact the operator.'],
    nobody_to_alarm: ['Nobody would be alerted.', 'Add an emergency contact.'],
    nobody_reached: [
      'The last alert reached none of the contacts.',
      'Check every number, and ask the contacts to confirm.',
    ],
    contact_declined: ['{name} says that they do not know you.', "Check {name}'s number."],
    contact_stopped: [
      '{name} has stopped messages by SMS and is alerted last.',
      '{name} can answer START to any alert, or confirm again.',
    ],
    contact_unverified: ['{name} has not confirmed yet.', 'Ask {name} to confirm.'],
    delivery_failed: [
      'The last message did not reach {name} ({ago}).',
      "Check {name}'s number, and ask them to confirm.",
    ],
    delivery_unproven: ['No message is known to have reached {name} for {days} days.', "Check {name}'s number."],
    one_channel: ['There is only one way to reach your contacts.', 'The operator can set up a second, such as calls.'],
    never_seen: ['Your phone or tracker has not sent anything yet.', 'Check that the app or tracker is connected.'],
    silent: ['Nothing heard from your phone or tracker for {days} days.', 'Switch it on and check its connection.'],
    battery_low: ['The battery was almost empty at the last report.', 'Charge it.'],
    no_name: ['Your profile has no name: contacts would read a number or an id instead.', 'Enter your name.'],
    number_implausible: ['{name}: this phone number cannot exist.', 'Check the number.'],
    number_is_own: ['{name} has the same number as your own profile.', "Enter {name}'s own number."],
    number_twice: ['{name} has the same number as another contact.', 'Check both numbers.'],
    contacts_changed: [
      'The emergency contacts were changed on {on}, from your phone.',
      'If that was not you, check them.',
    ],
    account_changed: [
      'Your name, number or devices were changed on {on}, from your phone.',
      'If that was not you, check them, and tell the operator.',
    ],
    no_drill: ['No exercise has been held in the last 90 days.', 'Ask the operator to start one.'],
  },
  de: {
    service_down: ['Der Alarmdienst arbeitet gerade nicht.', 'Wähle im Notfall den Notruf.'],
    messages_stay_here: [
      'Keine Nachricht verlässt den Dienst: Es ist kein Anbieter für SMS und Anrufe eingerichtet.',
      'Informiere den Betreiber. Wähle im Notfall den Notruf.',
    ],
    mail_only: [
      'Ein Alarm geht nur per E-Mail hinaus, die niemanden weckt: Es ist kein Anbieter für SMS und Anrufe eingerichtet.',
      'Informiere den Betreiber. Wähle im Notfall den Notruf.',
    ],
    provider_failing: [
      'Die letzten Nachrichten hat kein Anbieter angenommen.',
      'Informiere den Betreiber. Wähle im Notfall auch den Notruf.',
    ],
    modem_down: [
      'Das Modem des Dienstes kann derzeit keine SMS senden.',
      'Informiere den Betreiber. Wähle im Notfall auch den Notruf.',
    ],
    modem_slow: [
      'SMS können verspätet ankommen: Das Modem des Dienstes hat schlechten Empfang oder eine lange Warteschlange.',
      'Informiere den Betreiber.',
    ],
    disabled: ['SOS ist für dieses Konto abgeschaltet.', 'Wende dich an den Betreiber.'],
    nobody_to_alarm: ['Niemand würde alarmiert.', 'Trag einen Notfallkontakt ein.'],
    nobody_reached: [
      'Der letzte Alarm hat keinen der Kontakte erreicht.',
      'Prüfe alle Nummern und bitte die Kontakte um Bestätigung.',
    ],
    contact_declined: ['{name} gibt an, dich nicht zu kennen.', 'Prüfe die Nummer von {name}.'],
    contact_stopped: [
      '{name} hat Nachrichten per SMS abbestellt und wird zuletzt alarmiert.',
      '{name} kann auf einen Alarm mit START antworten oder erneut bestätigen.',
    ],
    contact_unverified: ['{name} hat noch nicht bestätigt.', 'Bitte {name} um Bestätigung.'],
    delivery_failed: [
      'Die letzte Nachricht hat {name} nicht erreicht ({ago}).',
      'Prüfe die Nummer von {name} und bitte um Bestätigung.',
    ],
    delivery_unproven: [
      'Seit {days} Tagen ist nicht belegt, dass eine Nachricht {name} erreicht hat.',
      'Prüfe die Nummer von {name}.',
    ],
    one_channel: [
      'Kontakte sind nur auf einem Weg erreichbar.',
      'Der Betreiber kann einen zweiten einrichten, zum Beispiel Anrufe.',
    ],
    never_seen: ['Dein Handy oder Tracker hat noch nichts gesendet.', 'Prüfe, ob App oder Tracker verbunden ist.'],
    silent: [
      'Dein Handy oder Tracker hat sich seit {days} Tagen nicht gemeldet.',
      'Schalte das Gerät ein und prüfe die Verbindung.',
    ],
    battery_low: ['Der Akku war bei der letzten Meldung fast leer.', 'Lade ihn auf.'],
    no_name: [
      'In deinem Profil steht kein Name: Kontakte würden eine Nummer oder eine Kennung lesen.',
      'Trag deinen Namen ein.',
    ],
    number_implausible: ['{name}: Diese Telefonnummer kann nicht stimmen.', 'Prüfe die Nummer.'],
    number_is_own: ['{name} hat dieselbe Nummer wie dein eigenes Profil.', 'Trag die eigene Nummer von {name} ein.'],
    number_twice: ['{name} hat dieselbe Nummer wie ein anderer Kontakt.', 'Prüfe beide Nummern.'],
    contacts_changed: [
      'Die Notfallkontakte wurden am {on} von deinem Handy aus geändert.',
      'Prüfe die Kontakte, falls du das nicht warst.',
    ],
    account_changed: [
      'Dein Name, deine Nummer oder deine Geräte wurden am {on} von deinem Handy aus geändert.',
      'Warst du das nicht? Prüfe sie und informiere den Betreiber.',
    ],
    no_drill: ['In den letzten 90 Tagen gab es keine Übung.', 'Bitte den Betreiber um eine Übung.'],
  },
  fr: {
    service_down: ['Le service d’alerte ne fonctionne pas en ce moment.', 'En cas d’urgence, appelez les secours.'],
    messages_stay_here: [
      'Aucun message ne quitte le service\u00a0: aucun opérateur de SMS et d’appels n’est configuré.',
      'Prévenez l’exploitant. En cas d’urgence, appelez les secours.',
    ],
    mail_only: [
      'Une alerte ne part que par e-mail, qui ne réveille personne\u00a0: aucun opérateur de SMS et d’appels n’est configuré.',
      'Prévenez l’exploitant. En cas d’urgence, appelez les secours.',
    ],
    provider_failing: [
      'Aucun opérateur n’a accepté les derniers messages.',
      'Prévenez l’exploitant. En cas d’urgence, appelez aussi les secours.',
    ],
    modem_down: [
      'Aucun SMS ne part en ce moment par le modem du service.',
      'Prévenez l’exploitant. En cas d’urgence, appelez aussi les secours.',
    ],
    modem_slow: [
      'Les SMS pourraient arriver en retard\u00a0: le modem du service capte mal ou de nombreux messages sont en attente.',
      'Prévenez l’exploitant.',
    ],
    disabled: ['Le SOS est désactivé pour ce compte.', 'Contactez l’exploitant.'],
    nobody_to_alarm: ['Personne ne serait alerté.', 'Ajoutez un contact d’urgence.'],
    nobody_reached: [
      'La dernière alerte n’a atteint aucun contact.',
      'Vérifiez tous les numéros et demandez aux contacts de confirmer.',
    ],
    contact_declined: ['{name} indique ne pas vous connaître.', 'Vérifiez le numéro de {name}.'],
    contact_stopped: [
      '{name} a arrêté les messages par SMS et est alerté en dernier.',
      '{name} peut répondre START à une alerte, ou confirmer de nouveau.',
    ],
    contact_unverified: ['{name} n’a pas encore confirmé.', 'Demandez à {name} de confirmer.'],
    delivery_failed: [
      'Le dernier message n’a pas atteint {name} ({ago}).',
      'Vérifiez le numéro de {name} et demandez une confirmation.',
    ],
    delivery_unproven: [
      'Rien ne prouve qu’un message ait atteint {name} depuis {days} jours.',
      'Vérifiez le numéro de {name}.',
    ],
    one_channel: [
      'Les contacts ne peuvent être joints que par un seul moyen.',
      'L’exploitant peut en ajouter un second, par exemple les appels.',
    ],
    never_seen: [
      'Votre téléphone ou balise n’a encore rien envoyé.',
      'Vérifiez que l’application ou la balise est connectée.',
    ],
    silent: [
      'Aucune nouvelle de votre téléphone ou balise depuis {days} jours.',
      'Allumez l’appareil et vérifiez sa connexion.',
    ],
    battery_low: ['La batterie était presque vide lors du dernier signal.', 'Rechargez-la.'],
    no_name: [
      'Votre profil n’a pas de nom : les contacts liraient un numéro ou un identifiant.',
      'Indiquez votre nom.',
    ],
    number_implausible: ['{name} : ce numéro de téléphone ne peut pas exister.', 'Vérifiez le numéro.'],
    number_is_own: ['{name} a le même numéro que votre propre profil.', 'Indiquez le numéro personnel de ce contact.'],
    number_twice: ['{name} a le même numéro qu’un autre contact.', 'Vérifiez les deux numéros.'],
    contacts_changed: [
      'Les contacts d’urgence ont été modifiés le {on} depuis votre téléphone.',
      'Si ce n’était pas vous, vérifiez-les.',
    ],
    account_changed: [
      'Votre nom, votre numéro ou vos appareils ont été modifiés le {on}, depuis votre téléphone.',
      'Si ce n’était pas vous, vérifiez-les et prévenez l’exploitant.',
    ],
    no_drill: [
      'Aucun exercice n’a eu lieu au cours des 90 derniers jours.',
      'Demandez à l’exploitant d’en organiser un.',
    ],
  },
  it: {
    service_down: ['Il servizio di allarme al momento non funziona.', 'In caso di emergenza chiama i soccorsi.'],
    messages_stay_here: [
      'Nessun messaggio esce dal servizio: non è configurato alcun operatore per SMS e chiamate.',
      'Avvisa il gestore del servizio. In caso di emergenza chiama i soccorsi.',
    ],
    mail_only: [
      'Un allarme parte solo per e-mail, che non sveglia nessuno: non è configurato alcun operatore per SMS e chiamate.',
      'Avvisa il gestore del servizio. In caso di emergenza chiama i soccorsi.',
    ],
    provider_failing: [
      'Nessun operatore ha accettato gli ultimi messaggi.',
      'Avvisa il gestore del servizio. In caso di emergenza chiama anche i soccorsi.',
    ],
    modem_down: [
      'Al momento nessun SMS esce dal modem del servizio.',
      'Avvisa il gestore del servizio. In caso di emergenza chiama anche i soccorsi.',
    ],
    modem_slow: [
      'Gli SMS potrebbero arrivare in ritardo: il modem del servizio ha poco segnale o molti messaggi in attesa.',
      'Avvisa il gestore del servizio.',
    ],
    disabled: ['L’SOS è disattivato per questo account.', 'Rivolgiti al gestore del servizio.'],
    nobody_to_alarm: ['Nessuno verrebbe avvisato.', 'Aggiungi un contatto di emergenza.'],
    nobody_reached: [
      'L’ultimo allarme non ha raggiunto nessun contatto.',
      'Controlla tutti i numeri e chiedi ai contatti di confermare.',
    ],
    contact_declined: ['{name} dichiara di non conoscerti.', 'Controlla il numero di {name}.'],
    contact_stopped: [
      '{name} ha disattivato i messaggi via SMS e viene avvisato per ultimo.',
      '{name} può rispondere START a un allarme o confermare di nuovo.',
    ],
    contact_unverified: ['{name} non ha ancora confermato.', 'Chiedi a {name} di confermare.'],
    delivery_failed: [
      'L’ultimo messaggio non ha raggiunto {name} ({ago}).',
      'Controlla il numero di {name} e chiedi una conferma.',
    ],
    delivery_unproven: [
      'Da {days} giorni non risulta che nulla abbia raggiunto {name}.',
      'Controlla il numero di {name}.',
    ],
    one_channel: [
      'I contatti sono raggiungibili in un solo modo.',
      'Il gestore del servizio può aggiungerne un secondo, per esempio le chiamate.',
    ],
    never_seen: [
      'Il tuo telefono o localizzatore non ha ancora inviato nulla.',
      'Verifica che l’app o il localizzatore sia collegato.',
    ],
    silent: [
      'Nessun segnale dal tuo telefono o localizzatore da {days} giorni.',
      'Accendi il dispositivo e controlla la connessione.',
    ],
    battery_low: ['All’ultimo segnale la batteria era quasi scarica.', 'Ricaricala.'],
    no_name: [
      'Nel tuo profilo manca il nome: i contatti leggerebbero un numero o un identificativo.',
      'Inserisci il tuo nome.',
    ],
    number_implausible: ['{name}: questo numero di telefono non può esistere.', 'Controlla il numero.'],
    number_is_own: ['{name} ha lo stesso numero del tuo profilo.', 'Inserisci il numero di {name}.'],
    number_twice: ['{name} ha lo stesso numero di un altro contatto.', 'Controlla entrambi i numeri.'],
    contacts_changed: [
      'I contatti di emergenza sono stati modificati dal tuo telefono in data {on}.',
      'Non eri tu? Controllali.',
    ],
    account_changed: [
      'Il tuo nome, il tuo numero o i tuoi dispositivi sono stati modificati il {on} dal tuo telefono.',
      'Non eri tu? Controllali e avvisa il gestore del servizio.',
    ],
    no_drill: [
      'Negli ultimi 90 giorni non c’è stata alcuna esercitazione.',
      'Chiedi al gestore del servizio di organizzarne una.',
    ],
  },
  es: {
    service_down: [
      'El servicio de alarma no funciona en este momento.',
      'En una emergencia, llama a los servicios de emergencia.',
    ],
    messages_stay_here: [
      'Ningún mensaje sale del servicio: no hay proveedor de SMS y llamadas configurado.',
      'Avisa al responsable del servicio. En una emergencia, llama a los servicios de emergencia.',
    ],
    mail_only: [
      'Una alerta sale solo por correo electrónico, que no despierta a nadie: no hay proveedor de SMS y llamadas configurado.',
      'Avisa al responsable del servicio. En una emergencia, llama a los servicios de emergencia.',
    ],
    provider_failing: [
      'Ningún proveedor aceptó los últimos mensajes.',
      'Avisa al responsable del servicio. En una emergencia, llama también a los servicios de emergencia.',
    ],
    modem_down: [
      'En este momento no sale ningún SMS por el módem del servicio.',
      'Avisa al responsable del servicio. En una emergencia, llama también a los servicios de emergencia.',
    ],
    modem_slow: [
      'Los SMS podrían llegar tarde: el módem del servicio tiene poca cobertura o muchos mensajes en espera.',
      'Avisa al responsable del servicio.',
    ],
    disabled: ['El SOS está desactivado para esta cuenta.', 'Contacta con el responsable del servicio.'],
    nobody_to_alarm: ['No se avisaría a nadie.', 'Añade un contacto de emergencia.'],
    nobody_reached: [
      'La última alarma no llegó a ningún contacto.',
      'Comprueba todos los números y pide a los contactos que confirmen.',
    ],
    contact_declined: ['{name} indica que no te conoce.', 'Comprueba el número de {name}.'],
    contact_stopped: [
      '{name} ha cancelado los mensajes por SMS y recibe el aviso en último lugar.',
      '{name} puede responder START a una alarma o confirmar de nuevo.',
    ],
    contact_unverified: ['{name} aún no ha confirmado.', 'Pide a {name} que confirme.'],
    delivery_failed: [
      'El último mensaje no llegó a {name} ({ago}).',
      'Comprueba el número de {name} y pide una confirmación.',
    ],
    delivery_unproven: [
      'Hace {days} días que no consta que nada haya llegado a {name}.',
      'Comprueba el número de {name}.',
    ],
    one_channel: [
      'Solo hay una forma de avisar a los contactos.',
      'El responsable del servicio puede añadir una segunda, por ejemplo las llamadas.',
    ],
    never_seen: [
      'Tu teléfono o localizador aún no ha enviado nada.',
      'Comprueba que la aplicación o el localizador está conectado.',
    ],
    silent: ['Tu teléfono o localizador no da señales desde hace {days} días.', 'Enciéndelo y comprueba la conexión.'],
    battery_low: ['La batería estaba casi agotada en la última señal.', 'Cárgala.'],
    no_name: ['Tu perfil no tiene nombre: los contactos leerían un número o un identificador.', 'Escribe tu nombre.'],
    number_implausible: ['{name}: este número de teléfono no puede existir.', 'Comprueba el número.'],
    number_is_own: ['{name} tiene el mismo número que tu propio perfil.', 'Escribe el número de {name}.'],
    number_twice: ['{name} tiene el mismo número que otro contacto.', 'Comprueba los dos números.'],
    contacts_changed: [
      'Los contactos de emergencia se modificaron el {on} desde tu teléfono.',
      '¿No fuiste tú? Revísalos.',
    ],
    account_changed: [
      'Tu nombre, tu número o tus dispositivos se cambiaron el {on} desde tu teléfono.',
      '¿No fuiste tú? Compruébalos y avisa al responsable del servicio.',
    ],
    no_drill: [
      'No ha habido ningún simulacro en los últimos 90 días.',
      'Pide al responsable del servicio que inicie uno.',
    ],
  },
}
