# `make help` lists what there is to do.

VENV := $(or $(MEDIAFLOW_FLEET_VENV),.venv)
BIN := $(VENV)/bin
FLEET := $(BIN)/mediaflow
# helm and kubectl, where scripts/kube_tools put them.
export PATH := $(CURDIR)/.cache/bin:$(PATH)
# Most tests wait for a broker or a child most of the time: twice as many as cores keep the cores busy.
PYTEST_WORKERS ?= 4

.DEFAULT_GOAL := help
.PHONY: help dashboards drill run up down status scale pause resume reload dead-letters replay plan logs test test-browser lint format bench scenarios scenario chaos load images test-images kube-apiserver kube-programs kube-cluster kube-cluster-down test-kube-api test-k8s kind-up kind-demo kind-down translations chart-docs lock clean environment bootstrap bootstrap-dev

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: bootstrap ## Start the fleet, send a real clip through it and show what comes out (CLIP=file sends your own)
	@$(FLEET) run $(CLIP) $(if $(AUTOSCALE),--autoscale)

up: bootstrap ## Start the fleet (AUTOSCALE=1 scales workers by queue length)
	@$(FLEET) up $(if $(AUTOSCALE),--autoscale)

# These work on a fleet that is there: they must not install anything before they look at it.
down: environment ## End the fleet, whatever state it is in
	@$(FLEET) down

status: environment ## Show processes, queues and addresses
	@$(FLEET) status

scale: environment ## Run N workers of a channel: make scale CHANNEL=thumbnail N=3
	@$(FLEET) scale $(or $(CHANNEL),$(error say CHANNEL=thumbnail N=3)) $(or $(N),$(error say CHANNEL=thumbnail N=3))

pause: environment ## Let workers finish what they hold and take nothing new (CHANNEL=transcode for one)
	@$(FLEET) pause $(CHANNEL)

resume: environment ## Go on with as many workers as before the pause (CHANNEL=transcode for one)
	@$(FLEET) resume $(CHANNEL)

reload: environment ## Follow the channels file as it is now: a new channel starts, nothing else is touched
	@$(FLEET) reload

dead-letters: environment ## Show what is in the dead-letter queues, and why (ARGS="--channel subtitle")
	@$(FLEET) dead-letters $(ARGS)

replay: environment ## Put dead letters back into their queue: make replay CHANNEL=subtitle (ARGS="--dry-run --limit 5")
	@$(FLEET) replay $(or $(CHANNEL),$(error say CHANNEL=subtitle)) $(ARGS)

plan: environment ## Say how a backlog goes on and what keeps the lag low: make plan CHANNEL=transcode ARGS="--lag 60s"
	@$(FLEET) plan --channel $(or $(CHANNEL),$(error say CHANNEL=transcode ARGS="--arrival 3/s --lag 60s")) $(ARGS)

logs: environment ## Show the logs (NAME=thumbnail for some, FOLLOW=1 to go on)
	@$(FLEET) logs $(NAME) $(if $(FOLLOW),--follow)

# The tests start more than a thousand processes, and each would compile anew what no .pyc file keeps.
PYTEST = PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n $(PYTEST_WORKERS) --dist loadfile --no-loadscope-reorder
test: bootstrap-dev ## Run the tests: unit, integration, end to end, chart, chaos
	@$(PYTEST) tests --ignore tests/browser $(ARGS)

test-browser: bootstrap-dev ## Run the tests of the console in a real Chromium (pictures of every page: .screenshots)
	@$(PYTEST) tests/browser $(ARGS)

lint: bootstrap-dev ## Check style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy $(addprefix -p ,$(notdir $(wildcard libs/*/src/* services/*/src/*)))

format: bootstrap-dev ## Put the code into the house's format
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: bootstrap-dev ## Measure speed and memory, each as a ratio in one run (ARGS=… chooses)
	@$(BIN)/python tests/bench/run.py $(ARGS)

scenarios: bootstrap ## Play the seven scenarios on a fleet of their own (ARGS=--quick for smaller counts)
	@$(BIN)/python tests/scenarios/run.py $(ARGS)

scenario: bootstrap ## Play one of them: make scenario N=3
	@$(BIN)/python tests/scenarios/run.py $(or $(N),$(error say N=3)) $(ARGS)

chaos: bootstrap-dev ## Hurt the fleet under load and prove that nothing was lost (MINUTES=30 SEED=7, ARGS=… chooses)
	@PYTHONPATH=tests/support $(BIN)/python tests/chaos/run.py $(if $(MINUTES),--minutes $(MINUTES)) $(if $(SEED),--seed $(SEED)) $(ARGS)

drill: bootstrap-dev ## Make alerts fire on a fleet of their own: make drill ALERT=MediaflowNoConsumers; all without ALERT but those of a cluster
	@PYTHONPATH=tests/support $(BIN)/python tests/drills/run.py $(ALERT)

# Only what is said on the command line: some shells have a HOST of their own in the environment.
LOAD_SETTINGS = $(foreach each,HOST RATE REQUESTS RAMP_S USERS CLIPS RETRIES MAX_P95_MS MAX_FAILURES SUMMARY,$(if $(filter command,$(origin $(each))),MEDIAFLOW_LOAD_$(each)='$($(each))'))
load: bootstrap-dev ## Load a front door: 23,539 uploads, up to 200 a second (HOST=http://… RATE=50 REQUESTS=3000 CLIPS=folder)
	@$(LOAD_SETTINGS) $(BIN)/python tests/load/run.py

images: ## Build the images with Docker (REGISTRY=… TAG=…, SERVICES="ingest console" for some)
	@scripts/images $(SERVICES)

test-images: bootstrap-dev ## Check the images, and run the fleet from them (REGISTRY=, TAG= as for images, RABBITMQ_IMAGE=)
	@$(BIN)/python -m pytest tests/images $(ARGS)

PO = services/console/src/console/translations/tr/LC_MESSAGES/messages
translations: bootstrap-dev ## Collect the console's sentences, and compile what is translated of them
	@mkdir -p .cache
	@$(BIN)/pybabel -q extract -F services/console/babel.cfg -k lazy_gettext -k _l --add-location file --sort-by-file -w 120 \
		--project mediaflow-console --version 0.1.0 -o .cache/messages.pot services/console/src/console
	@$(BIN)/pybabel -q update --ignore-pot-creation-date --ignore-obsolete -N -w 120 -l tr -i .cache/messages.pot -o $(PO).po
	@$(BIN)/pybabel -q compile -l tr -i $(PO).po -o $(PO).mo

# Every variable that is given to make reaches what it starts: make test-k8s REGISTRY=registry.example TAG=1.2.3 KEEP=1
test-k8s: bootstrap-dev ## Check the chart on the cluster that KUBECONFIG names (REGISTRY=, TAG=, VALUES=file, KEEP=1, BURST=, BROKERS=…)
	@$(BIN)/python -m pytest tests/k8s -s $(ARGS)

kind-up: ## Make a kind cluster and install KEDA, RabbitMQ, monitoring and Mediaflow on it (RABBITMQ=operator, MONITORING=0)
	@scripts/kind_up

kind-demo: bootstrap-dev ## Walk the scenarios on it, or on another cluster that KUBECONFIG names (STEPS="2 7", BURST=)
	@$(BIN)/python tests/k8s/demo.py

kind-down: ## End the kind cluster and all that is in it
	@scripts/kind_down

# These need Go and take minutes the first time; nothing else builds them.
KUBE_APISERVER ?= .cache/kube-apiserver
kube-apiserver: ## Build Kubernetes' own API server, for test-kube-api
	@tests/kube_cluster/build kube-apiserver

kube-programs: ## Build Kubernetes, KEDA and what else kube-cluster runs, from Go modules
	@tests/kube_cluster/build

kube-cluster: ## Run a cluster of three nodes out of kube-programs, as root: where no registry of images is within reach
	@tests/kube_cluster/cluster up

kube-cluster-down: ## End that cluster (its data stays)
	@tests/kube_cluster/cluster down

test-kube-api: bootstrap-dev ## Test the console's control and the chart's releases against a real API server (KUBE_APISERVER=file; etcd on the PATH)
	@[ -x $(KUBE_APISERVER) ] || { echo "$(KUBE_APISERVER) is not there: make kube-apiserver builds it"; exit 1; }
	@command -v etcd >/dev/null || { echo "etcd is not there: Debian's package is etcd-server"; exit 1; }
	@KUBE_APISERVER=$(abspath $(KUBE_APISERVER)) $(BIN)/python -m pytest tests/integration/console/control tests/chart/test_releases_on_a_real_api.py \
		-k 'kube-apiserver or real_api' $(ARGS)

chart-docs: bootstrap-dev ## Write the chart's table of values from the comments of its values.yaml
	@$(BIN)/python scripts/chart_docs.py

dashboards: bootstrap-dev ## Write Grafana's dashboards from scripts/dashboards.yaml
	@$(BIN)/python scripts/dashboards.py

COMPILE = $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q
lock: bootstrap-dev ## Pin all dependencies anew, with hashes and without addresses
	@$(COMPILE) requirements.in -o requirements.lock
	@$(COMPILE) requirements-dev.in -o requirements-dev.lock

clean: ## End the fleet, then remove its data and every cache (the environment stays)
	@[ ! -x $(FLEET) ] || $(FLEET) down
	@rm -rf .run .cache .screenshots .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find libs services tests -name __pycache__ -type d -prune -exec rm -rf {} +

environment:
	@[ -x $(FLEET) ] || scripts/bootstrap environment

bootstrap:
	@scripts/bootstrap fleet

bootstrap-dev:
	@scripts/bootstrap dev
