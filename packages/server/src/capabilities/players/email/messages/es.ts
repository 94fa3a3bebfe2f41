import type { Messages } from './en.ts'

export const es: Messages = {
  code: 'es',
  verify: {
    title: 'Confirma tu correo electrónico',
    mail: {
      subject: (app) => `Confirma tu correo electrónico para ${app}`,
      why: (app) => `Alguien, seguramente tú, ha usado esta dirección para una cuenta en ${app}.`,
      button: 'Confirmar',
      lifetime: 'El enlace funciona una sola vez, durante 24 horas.',
    },
    page: { text: 'Haz clic en el botón para confirmar tu correo electrónico.', button: 'Confirmar' },
    done: {
      title: 'Confirmado',
      text: 'Tu correo electrónico está confirmado. Ya puedes cerrar esta página.',
    },
  },
  reset: {
    title: 'Elige una contraseña nueva',
    mail: {
      subject: (app) => `Contraseña nueva para ${app}`,
      why: (app) => `Se ha pedido una contraseña nueva para tu cuenta en ${app}.`,
      button: 'Elegir contraseña nueva',
      lifetime: 'El enlace funciona una sola vez, durante 30 minutos.',
    },
    page: { text: 'Se cerrará la sesión en todos los dispositivos.', button: 'Guardar' },
    done: { title: 'Guardada', text: 'Ya puedes iniciar sesión con la contraseña nueva.' },
    label: 'Contraseña nueva',
    lengthRule: 'Al menos 8 caracteres.',
  },
  ignore: 'Si no has sido tú, ignora este mensaje; no cambiará nada.',
  pasteLabel: 'Enlace del correo',
  pasteHint: 'Copia el enlace completo del correo y pégalo aquí.',
  back: (app) => `Volver a ${app}`,
  over: {
    title: 'Este enlace ya no funciona',
    text: 'Ya se usó, ha caducado o se envió otro más reciente. Pide uno nuevo en la aplicación.',
  },
  tooMany: { title: 'Demasiados intentos', text: 'Espera un minuto, vuelve atrás e inténtalo de nuevo.' },
  ownership: {
    notYours: (app) =>
      `Si no has creado esta cuenta, no la confirmes. Para hacerla tuya y cerrar todas las demás sesiones, usa «¿Has olvidado la contraseña?» en ${app}.`,
    firstProof:
      'Tu dirección nunca se confirmó para esta cuenta. Si eliges una contraseña nueva, se elimina todo lo que se vinculó antes a la cuenta: otros métodos de inicio de sesión, como Google, códigos de transferencia y todas las sesiones.',
    removed: {
      subject: (app) => `Se han eliminado métodos de inicio de sesión de tu cuenta en ${app}`,
      title: 'Se han eliminado métodos de inicio de sesión',
      text: (app, methods) =>
        `Has confirmado tu dirección para una cuenta en ${app} al elegir una contraseña nueva. Estos métodos de inicio de sesión se habían vinculado antes y se han eliminado: ${methods}. Se ha cerrado la sesión en todos los dispositivos. Puedes volver a vincular los tuyos en la aplicación.`,
    },
  },
}
