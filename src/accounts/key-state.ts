/** `deactivated` can be activated again; `revoked` is final. */
export type KeyState = 'active' | 'deactivated' | 'revoked';

/** For each state, the states it may be entered from. Entering the state a key is already in changes nothing. */
export const ENTERED_FROM: Readonly<Record<KeyState, readonly KeyState[]>> = {
  active: ['active', 'deactivated'],
  deactivated: ['active', 'deactivated'],
  revoked: ['active', 'deactivated', 'revoked'],
};
