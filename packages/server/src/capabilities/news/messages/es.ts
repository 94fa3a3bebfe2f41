import type { Messages } from './en.ts'

export const es: Messages = {
  code: 'es',
  label: (service) =>
    `Quiero recibir novedades de ${service} por correo, como máximo dos veces al mes. Puedo darme de baja cuando quiera.`,
  confirm: {
    title: (service) => `¿Novedades de ${service}?`,
    why: (service) =>
      `Alguien, probablemente tú, pidió con esta dirección recibir novedades de ${service}: como máximo dos correos al mes. No se envía nada hasta que lo confirmes.`,
    button: 'Sí, quiero novedades',
    lifetime:
      'El enlace funciona durante 30 días. Si no fuiste tú, ignora este correo; no recibirás novedades.',
    done: 'Listo. Recibirás novedades, como máximo dos veces al mes. Puedes cerrar esta página.',
  },
  unsubscribe: {
    link: 'Darme de baja',
    title: '¿No quieres más novedades?',
    text: (service) => `Pulsa el botón y ${service} no te enviará más novedades.`,
    button: 'Darme de baja',
    done: 'Listo. No recibirás más novedades. Puedes cerrar esta página.',
  },
  whyYou: (service) => `Recibes este correo porque pediste novedades de ${service}.`,
  over: 'Este enlace ya no funciona: es demasiado antiguo o ya te diste de baja.',
  tooMany: 'Demasiados intentos. Espera un minuto y vuelve a intentarlo.',
  pasteLabel: 'Enlace del correo',
  pasteHint: 'Copia el enlace completo del correo y pégalo aquí.',
}
