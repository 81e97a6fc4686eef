import {
  ForwardBackwardRequest,
  ForwardRequest,
  LoadWeightsRequest,
  type LossInput,
  OptimStepRequest,
  OrderedRequest,
  SaveForSamplerRequest,
  SaveWeightsRequest,
  WeightsInfoRequest,
} from '../../schema/tinker';
import { type CheckpointPlace, parseTinkerPath, toTinkerPath } from './checkpointStore';
import { Fault } from './fault';
import { checkConfig, toLossReply, toRows } from './lossRows';
import type { Model } from './registry';
import { type Call, type Context, type Handler, parseBody, type Routes } from './routes';
import { nominalRank } from './sessionRoutes';

/** Calls that run in a model's order, and what they leave on disk. */
export function trainingRoutes({ engine, store, registry, baseModel }: Context): Routes {
  const ordered = (
    model: Model,
    seq: number,
    call: Call,
    work: () => Promise<unknown>,
    refuse?: () => void,
  ): { request_id: string } => {
    model.lastRequest = new Date().toISOString();
    const living = () => registry.working(model.session, work);
    return { request_id: model.order.accept(seq, call.raw, living, refuse) };
  };

  /** The number of a refused request must not hold up those after it. */
  const skipping =
    (handler: Handler): Handler =>
    async (call) => {
      try {
        return await handler(call);
      } catch (error) {
        const numbered = OrderedRequest.safeParse(call.body).data;
        if (numbered) registry.find(numbered.model_id)?.order.skip(numbered.seq_id);
        throw error;
      }
    };

  const passOver = (model: Model, seq: number, input: LossInput, call: Call, pass: 'forward' | 'forwardBackward') => {
    const config = input.loss_fn_config ?? {};
    checkConfig(input.loss_fn, config);
    const rows = toRows(input, engine.shape);
    return ordered(model, seq, call, async () =>
      toLossReply(await engine[pass](model.id, rows, input.loss_fn, config), input.loss_fn),
    );
  };

  const save = async (
    model: Model,
    seq: number,
    place: CheckpointPlace,
    overwrite: boolean,
    call: Call,
    type: string,
  ) => {
    store.checkName(place);
    const path = toTinkerPath(place);
    const taken = !overwrite && (await store.exists(place));
    const work = async () => {
      try {
        await store.save(place, await engine.exportState(model.id, place.kind === 'weights'));
      } finally {
        model.reserved.delete(path);
      }
      return { type, path };
    };
    return ordered(model, seq, call, work, () => {
      if (taken || (!overwrite && model.reserved.has(path)))
        throw new Fault(409, `The checkpoint ${path} exists already.`);
      model.reserved.add(path);
    });
  };

  const inOrder: Routes = {
    'POST /api/v1/forward': (call) => {
      const request = parseBody(ForwardRequest, call);
      return passOver(registry.model(request.model_id), request.seq_id, request.forward_input, call, 'forward');
    },

    'POST /api/v1/forward_backward': (call) => {
      const request = parseBody(ForwardBackwardRequest, call);
      const model = registry.model(request.model_id);
      return passOver(model, request.seq_id, request.forward_backward_input, call, 'forwardBackward');
    },

    'POST /api/v1/optim_step': (call) => {
      const request = parseBody(OptimStepRequest, call);
      const model = registry.model(request.model_id);
      return ordered(model, request.seq_id, call, async () => {
        const { gradientNorm } = await engine.optimStep(model.id, request.adam_params);
        return { metrics: { grad_norm: gradientNorm } };
      });
    },

    'POST /api/v1/save_weights': (call) => {
      const request = parseBody(SaveWeightsRequest, call);
      const model = registry.model(request.model_id);
      const place = { run: model.id, kind: 'weights', name: request.path } as const;
      return save(model, request.seq_id, place, request.overwrite ?? false, call, 'save_weights');
    },

    'POST /api/v1/save_weights_for_sampler': (call) => {
      const request = parseBody(SaveForSamplerRequest, call);
      const model = registry.model(request.model_id);
      const type = 'save_weights_for_sampler';
      if (request.path) {
        const place = { run: model.id, kind: 'sampler_weights', name: request.path } as const;
        return save(model, request.seq_id, place, false, call, type);
      }
      const seq = request.sampling_session_seq_id;
      if (seq == null) throw new Fault(422, 'sampling_session_seq_id: give it, or a path to save to.');
      return ordered(model, request.seq_id, call, async () => {
        const snapshot = await engine.snapshot(model.id);
        const sampler = await registry.addSampler(model.session, seq, snapshot, null);
        return { type, sampling_session_id: sampler.id };
      });
    },

    'POST /api/v1/load_weights': async (call) => {
      const request = parseBody(LoadWeightsRequest, call);
      const model = registry.model(request.model_id);
      const place = parseTinkerPath(request.path, 'weights');
      await store.load(place);
      const work = async () => {
        await engine.importState(model.id, await store.load(place), request.optimizer);
        return { type: 'load_weights', model_id: model.id, path: request.path };
      };
      return ordered(model, request.seq_id, call, work, () => {
        if (model.order.fresh && request.seq_id === 1) return;
        throw new Fault(400, 'load_weights must be the first request of a model: create a new model for it.');
      });
    },
  };

  return {
    ...Object.fromEntries(Object.entries(inOrder).map(([route, handler]) => [route, skipping(handler)])),

    'POST /api/v1/weights_info': async (call) => {
      const { tinker_path: path } = parseBody(WeightsInfoRequest, call);
      await store.load(parseTinkerPath(path));
      return {
        base_model: baseModel,
        is_lora: true,
        lora_rank: nominalRank,
        train_unembed: true,
        train_mlp: true,
        train_attn: true,
      };
    },
  };
}
