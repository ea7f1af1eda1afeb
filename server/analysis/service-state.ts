import type { AiReason } from '#contract';
import type { Logger } from '../observability/index.ts';
import type { Failed } from './ask-model.ts';
import { CONSEQUENCES, REMEDIES } from './failure-kinds.ts';

/** State of a vision service: `unverified` until something is known of it. */
export type ServiceStatus = 'ready' | 'unverified' | 'loading' | 'blind' | 'open';

/** State of a vision service; holds until a question or a check shows another one. */
export interface ServiceState {
  status(): ServiceStatus;
  /** Reason for which it does not describe images; null: it does, or nothing is known. */
  reason(): AiReason | null;
  answered(): void;
  /** @param repeated true if so many questions failed that it is not the fault of an image */
  failed(failure: Pick<Failed, 'reason' | 'httpStatus' | 'cause'>, repeated: boolean): void;
}

interface ServiceStateDeps {
  logger: Pick<Logger, 'info' | 'warn'>;
  /** Model and address, for the log. */
  service: { model: string; baseUrl: string | undefined };
}

/** Creates the state of one service. Each change is logged once, with the remedy. */
export function createServiceState({ logger, service }: ServiceStateDeps): ServiceState {
  let known: 'nothing' | 'works' | AiReason = 'nothing';
  const { model } = service;
  const address = service.baseUrl ? `${service.baseUrl} (AI_BASE_URL)` : "the provider's own address";
  return {
    status() {
      if (known === 'nothing') return 'unverified';
      if (known === 'works') return 'ready';
      if (known === 'no_images') return 'blind';
      return known === 'loading' ? 'loading' : 'open';
    },
    reason: () => (known === 'nothing' || known === 'works' ? null : known),
    answered() {
      if (known !== 'nothing' && known !== 'works')
        logger.info({ model, address }, 'the vision service describes images again');
      known = 'works';
    },
    failed({ reason, httpStatus, cause }, repeated) {
      if (known === reason || !(CONSEQUENCES[reason].isLasting || repeated)) return;
      known = reason;
      logger.warn(
        { reason, httpStatus, cause, model, address },
        `the model ${model} (AI_MODEL) at ${address} describes no images: ${REMEDIES[reason]}`,
      );
    },
  };
}
