/** Texts of alarms by Web Push, loaded with the account. */
const en = {
  title: 'Alarms on this device',
  means:
    'This device rings when an alarm is new or needs somebody again, also while the console is closed. It comes in addition to SMS and calls, never in their place, and needs the Internet.',
  until:
    'It ends when you sign out here, or with the session: 12 hours after you last used the console here. Sign in again and it goes on.',
  install: 'On an iPhone or iPad, add the console to the Home Screen first and open it from there.',
  names: 'Show the name of the person, too',
  namesMean: 'Otherwise the screen says only that there is an alarm, and in which application.',
  on: 'Ring for alarms on this device',
  asks: 'Your browser then asks whether it may show notifications.',
  off: 'Stop ringing on this device',
  isOn: 'This device rings for alarms.',
  withNames: 'With names.',
  test: 'Send a test',
  sent: 'The test has left. If nothing appears within a minute, look at the notification settings of the device.',
  gone: 'The device takes nothing any more. Switch it on again.',
  failed: 'The push service did not take the last message. SMS and calls are not affected.',
  impossible: 'This browser shows no alarms while the console is closed. It needs https and a current browser.',
  unavailable: 'This site sends nothing to devices at the moment. Its log says why.',
  denied: 'Notifications are blocked for this page. Allow them in the settings of the browser.',
  lost: 'The browser could not subscribe. Try again, or with another browser.',
  reasons: {
    push_limit: 'Five of your browsers ring already. Switch one off there, or sign it out.',
    push_unavailable: 'This site sends nothing to devices at the moment. Its log says why.',
  } as Readonly<Record<string, string>>,
}
type OwnPushWords = typeof en

const de: OwnPushWords = {
  title: 'Alarme auf diesem Gerät',
  means:
    'Dieses Gerät läutet, wenn ein Alarm neu ist oder wieder jemanden braucht, auch wenn die Konsole geschlossen ist. Das kommt zu SMS und Anrufen dazu, ersetzt sie nie und braucht Internet.',
  until:
    'Es endet, wenn Sie sich hier abmelden, oder mit der Sitzung: 12 Stunden nachdem Sie die Konsole hier zuletzt benutzt haben. Melden Sie sich wieder an, geht es weiter.',
  install: 'Auf iPhone oder iPad legen Sie die Konsole zuerst auf den Home-Bildschirm und öffnen sie von dort.',
  names: 'Auch den Namen der Person zeigen',
  namesMean: 'Sonst sagt der Bildschirm nur, dass es einen Alarm gibt und in welcher Anwendung.',
  on: 'Auf diesem Gerät bei Alarmen läuten',
  asks: 'Ihr Browser fragt dann, ob er Mitteilungen zeigen darf.',
  off: 'Auf diesem Gerät nicht mehr läuten',
  isOn: 'Dieses Gerät läutet bei Alarmen.',
  withNames: 'Mit Namen.',
  test: 'Test senden',
  sent: 'Der Test ist gesendet. Erscheint binnen einer Minute nichts, sehen Sie in den Mitteilungs-Einstellungen des Geräts nach.',
  gone: 'Das Gerät nimmt nichts mehr an. Schalten Sie es neu ein.',
  failed: 'Der Push-Dienst hat die letzte Nachricht nicht angenommen. SMS und Anrufe sind davon nicht betroffen.',
  impossible:
    'Dieser Browser zeigt keine Alarme, während die Konsole geschlossen ist. Dazu braucht es https und einen aktuellen Browser.',
  unavailable: 'Diese Website sendet derzeit nichts an Geräte. Ihr Log sagt, warum.',
  denied: 'Mitteilungen sind für diese Seite gesperrt. Erlauben Sie sie in den Einstellungen des Browsers.',
  lost: 'Der Browser konnte sich nicht anmelden. Versuchen Sie es noch einmal oder mit einem anderen Browser.',
  reasons: {
    push_limit: 'Fünf Ihrer Browser läuten schon. Schalten Sie einen davon dort aus, oder melden Sie ihn ab.',
    push_unavailable: 'Diese Website sendet derzeit nichts an Geräte. Ihr Log sagt, warum.',
  },
}

const fr: OwnPushWords = {
  title: 'Alertes sur cet appareil',
  means:
    'Cet appareil sonne quand une alerte est nouvelle ou a de nouveau besoin de quelqu’un, même si la console est fermée. Cela s’ajoute aux SMS et aux appels, ne les remplace jamais et demande Internet.',
  until:
    'Cela s’arrête quand vous vous déconnectez ici, ou avec la session\u00a0: 12 heures après votre dernière utilisation de la console ici. Reconnectez-vous et cela reprend.',
  install: 'Sur iPhone ou iPad, ajoutez d’abord la console à l’écran d’accueil et ouvrez-la de là.',
  names: 'Afficher aussi le nom de la personne',
  namesMean: 'Sinon, l’écran dit seulement qu’il y a une alerte, et dans quelle application.',
  on: 'Sonner en cas d’alerte sur cet appareil',
  asks: 'Votre navigateur demande ensuite s’il peut afficher des notifications.',
  off: 'Ne plus sonner sur cet appareil',
  isOn: 'Cet appareil sonne en cas d’alerte.',
  withNames: 'Avec les noms.',
  test: 'Envoyer un test',
  sent: 'Le test est parti. Si rien n’apparaît en une minute, vérifiez les réglages de notification de l’appareil.',
  gone: 'L’appareil ne reçoit plus rien. Activez-le à nouveau.',
  failed: 'Le service de push n’a pas accepté le dernier message. Les SMS et les appels ne sont pas concernés.',
  impossible:
    'Ce navigateur n’affiche aucune alerte quand la console est fermée. Il faut https et un navigateur récent.',
  unavailable: 'Ce site n’envoie rien aux appareils pour le moment. Son journal dit pourquoi.',
  denied: 'Les notifications sont bloquées pour cette page. Autorisez-les dans les réglages du navigateur.',
  lost: 'Le navigateur n’a pas pu s’abonner. Réessayez, ou avec un autre navigateur.',
  reasons: {
    push_limit: 'Cinq de vos navigateurs sonnent déjà. Désactivez-en un là-bas, ou déconnectez-le.',
    push_unavailable: 'Ce site n’envoie rien aux appareils pour le moment. Son journal dit pourquoi.',
  },
}

const it: OwnPushWords = {
  title: 'Allarmi su questo dispositivo',
  means:
    'Questo dispositivo suona quando un allarme è nuovo o ha di nuovo bisogno di qualcuno, anche a console chiusa. Si aggiunge a SMS e chiamate, non li sostituisce mai e richiede Internet.',
  until:
    'Finisce quando si disconnette qui, o con la sessione: 12 ore dopo l’ultimo uso della console qui. Acceda di nuovo e riprende.',
  install: 'Su iPhone o iPad aggiunga prima la console alla schermata Home e la apra da lì.',
  names: 'Mostra anche il nome della persona',
  namesMean: 'Altrimenti lo schermo dice solo che c’è un allarme e in quale applicazione.',
  on: 'Suona per gli allarmi su questo dispositivo',
  asks: 'Il browser chiede poi se può mostrare notifiche.',
  off: 'Non suonare più su questo dispositivo',
  isOn: 'Questo dispositivo suona per gli allarmi.',
  withNames: 'Con i nomi.',
  test: 'Invia una prova',
  sent: 'La prova è partita. Se entro un minuto non appare nulla, controlli le impostazioni delle notifiche del dispositivo.',
  gone: 'Il dispositivo non riceve più nulla. Lo attivi di nuovo.',
  failed: 'Il servizio push non ha accettato l’ultimo messaggio. SMS e chiamate non ne risentono.',
  impossible: 'Questo browser non mostra allarmi a console chiusa. Servono https e un browser aggiornato.',
  unavailable: 'Al momento questo sito non invia nulla ai dispositivi. Il suo log dice perché.',
  denied: 'Le notifiche sono bloccate per questa pagina. Le consenta nelle impostazioni del browser.',
  lost: 'Il browser non è riuscito ad abbonarsi. Riprovi, o con un altro browser.',
  reasons: {
    push_limit: 'Cinque dei Suoi browser suonano già. Ne disattivi uno da lì, o lo disconnetta.',
    push_unavailable: 'Al momento questo sito non invia nulla ai dispositivi. Il suo log dice perché.',
  },
}

const es: OwnPushWords = {
  title: 'Alertas en este dispositivo',
  means:
    'Este dispositivo suena cuando una alerta es nueva o vuelve a necesitar a alguien, también con la consola cerrada. Se suma a los SMS y las llamadas, nunca los sustituye, y necesita Internet.',
  until:
    'Termina cuando cierra la sesión aquí, o con la sesión: 12 horas después de usar la consola aquí por última vez. Inicie sesión de nuevo y continúa.',
  install: 'En un iPhone o iPad, añada antes la consola a la pantalla de inicio y ábrala desde allí.',
  names: 'Mostrar también el nombre de la persona',
  namesMean: 'De lo contrario, la pantalla solo dice que hay una alerta y en qué aplicación.',
  on: 'Sonar por alertas en este dispositivo',
  asks: 'Su navegador pregunta después si puede mostrar notificaciones.',
  off: 'Dejar de sonar en este dispositivo',
  isOn: 'Este dispositivo suena por alertas.',
  withNames: 'Con nombres.',
  test: 'Enviar una prueba',
  sent: 'La prueba ha salido. Si no aparece nada en un minuto, mire los ajustes de notificaciones del dispositivo.',
  gone: 'El dispositivo ya no recibe nada. Actívelo de nuevo.',
  failed: 'El servicio push no aceptó el último mensaje. Los SMS y las llamadas no se ven afectados.',
  impossible: 'Este navegador no muestra alertas con la consola cerrada. Hace falta https y un navegador actual.',
  unavailable: 'Este sitio no envía nada a los dispositivos por ahora. Su registro dice por qué.',
  denied: 'Las notificaciones están bloqueadas para esta página. Permítalas en los ajustes del navegador.',
  lost: 'El navegador no pudo suscribirse. Inténtelo de nuevo, o con otro navegador.',
  reasons: {
    push_limit: 'Cinco de sus navegadores ya suenan. Desactive uno allí, o ciérrele la sesión.',
    push_unavailable: 'Este sitio no envía nada a los dispositivos por ahora. Su registro dice por qué.',
  },
}

export const ownPushWords = { en, de, fr, it, es }
