import torch
from _told import of_trainer, tell
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

samples = [{"input_ids": torch.randint(0, 50, (8,)), "labels": torch.tensor(i % 2)} for i in range(32)]
config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
arguments = TrainingArguments(
    "out",
    max_steps=6,
    logging_steps=2,
    eval_steps=3,
    eval_strategy="steps",
    report_to="wandb",
    use_cpu=True,
    run_name="trainer",
    save_strategy="no",
)
model = BertForSequenceClassification(config)
trainer = Trainer(model, arguments, train_dataset=samples, eval_dataset=samples[:8])
trainer.train()
tell(
    {
        "name": "trainer",
        "points": of_trainer(trainer.state.log_history),
        "config": {"max_steps": 6, "hidden_size": 16, "model/num_parameters": model.num_parameters()},
    }
)
