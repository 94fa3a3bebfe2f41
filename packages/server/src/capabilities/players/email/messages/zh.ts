import type { Messages } from './en.ts'

export const zh: Messages = {
  code: 'zh',
  verify: {
    title: '确认您的邮箱地址',
    mail: {
      subject: (app) => `${app}：请确认您的邮箱地址`,
      why: (app) => `有人（很可能是您）用此邮箱地址注册了 ${app} 的帐号。`,
      button: '确认',
      lifetime: '此链接仅可使用一次，24 小时内有效。',
    },
    page: { text: '请点击按钮确认您的邮箱地址。', button: '确认' },
    done: { title: '已确认', text: '您的邮箱地址已确认，可以关闭此页面。' },
  },
  reset: {
    title: '设置新密码',
    mail: {
      subject: (app) => `${app}：设置新密码`,
      why: (app) => `有人请求为您的 ${app} 帐号设置新密码。`,
      button: '设置新密码',
      lifetime: '此链接仅可使用一次，30 分钟内有效。',
    },
    page: { text: '您将在所有设备上退出登录。', button: '保存' },
    done: { title: '已保存', text: '现在可以用新密码登录了。' },
    label: '新密码',
    lengthRule: '至少 8 个字符。',
  },
  ignore: '如果这不是您本人的操作，请忽略此邮件，不会有任何更改。',
  pasteLabel: '邮件中的链接',
  pasteHint: '请复制邮件中的完整链接并粘贴到此处。',
  back: (app) => `返回 ${app}`,
  over: { title: '此链接已失效', text: '链接已被使用、已过期，或已有更新的链接。请在应用中重新申请。' },
  tooMany: { title: '尝试次数过多', text: '请等待一分钟，然后返回重试。' },
  ownership: {
    notYours: (app) =>
      `如果此帐号不是您创建的，请不要确认。如需将其收归己有并让其他所有人退出登录，请在 ${app} 中使用“忘记密码”。`,
    firstProof:
      '此帐号的邮箱地址从未确认过。设置新密码后，之前关联到此帐号的内容都会被移除：其他登录方式（例如 Google）、转移码以及所有会话。',
    removed: {
      subject: (app) => `${app}：您的帐号已移除部分登录方式`,
      title: '登录方式已移除',
      text: (app, methods) =>
        `您通过设置新密码确认了 ${app} 帐号的邮箱地址。之前关联的以下登录方式已被移除：${methods}。所有设备均已退出登录。您可以在应用中重新关联自己的登录方式。`,
    },
  },
}
